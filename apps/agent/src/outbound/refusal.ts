import type { RefusalSignal } from '@weir/policy/model'
import { DEPENDENCY_REASONS, type DependencyReason } from '@weir/wire/model'

/**
 * An Error in everything but the stack trace, whose capture is most of an Error's cost: `instanceof Error` holds, `name`, `message` and `stack`
 * are strings. Refusing must be cheaper than serving.
 */
const Stackless = function (this: unknown) {} as unknown as new () => Error
Stackless.prototype = Object.create(Error.prototype, {
  constructor: { value: Stackless, writable: true, configurable: true },
  stack: {
    get(this: Error) {
      return `${this.name}: ${this.message}`
    },
    configurable: true,
  },
})

/** A call that was refused in this process: no attempt reached the wire. */
export class WeirRefusal extends Stackless {
  override readonly name = 'WeirRefusal'
  readonly dependency: string
  readonly reason: DependencyReason
  /** When a new call may do better, milliseconds; `null` = not known. */
  readonly retryAfterMs: number | null
  /** Of the policy that refused; `null` = the built-in one. */
  readonly revision: number | null

  constructor(dependency: string, reason: DependencyReason, retryAfterMs: number | null, revision: number | null) {
    super()
    this.message = `${dependency}: ${DEPENDENCY_REASONS[reason].title}`
    this.dependency = dependency
    this.reason = reason
    this.retryAfterMs = retryAfterMs
    this.revision = revision
  }

  get signal(): RefusalSignal {
    return DEPENDENCY_REASONS[this.reason].signal
  }
}

/** A call whose time was over before it ended. What it started may still run. */
export class WeirTimeout extends Stackless {
  override readonly name = 'WeirTimeout'
  readonly dependency: string
  readonly afterMs: number

  constructor(dependency: string, afterMs: number) {
    super()
    this.message = `${dependency}: no answer after ${Math.round(afterMs)} ms`
    this.dependency = dependency
    this.afterMs = afterMs
  }
}
