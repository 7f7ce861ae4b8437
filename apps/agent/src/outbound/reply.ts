import { AsyncResource } from 'node:async_hooks'
import { discardEnd } from './attempt.ts'
import { runFallback } from './fallback.ts'
import type { CallOptions, Parts } from './parts.ts'
import type { AttemptEnd } from './verdict.ts'

/** What the caller holds: a promise that is settled once, by an answer, an error or the fallback. */
export class Reply<T> {
  readonly promise: Promise<T>
  readonly #parts: Parts
  readonly #options: CallOptions<T>
  #resolve!: (value: T) => void
  #reject!: (error: unknown) => void
  /** Back into the caller's async context: timers are shared, so they run in somebody else's. */
  #scope: AsyncResource | undefined

  constructor(parts: Parts, options: CallOptions<T>) {
    this.#parts = parts
    this.#options = options
    this.promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    if (options.fallback !== undefined) this.keepContext()
  }

  /** Of the caller who is here now. `AsyncLocalStorage.snapshot` does the same for twenty times the cost: it binds a function. */
  keepContext(): void {
    this.#scope ??= new AsyncResource('weir.call', { requireManualDestroy: true })
  }

  inContext(work: () => void): void {
    if (this.#scope === undefined) work()
    else this.#scope.runInAsyncScope(work)
  }

  answer(value: T): void {
    this.#resolve(value)
  }

  refuse(reason: unknown): void {
    this.#reject(reason)
  }

  /** With the fallback's answer, where there is one; else with `end`. */
  fail(end: AttemptEnd<T>): void {
    const { fallback, fallbackMs } = this.#options
    if (fallback === undefined) {
      this.#settle(end)
      return
    }
    const answered = (value: T): void => {
      discardEnd(end, this.#options, this.#parts)
      this.#resolve(value)
    }
    const cause = end.ok ? end.value : end.error
    this.inContext(() => runFallback(this.#parts, { fallback, fallbackMs }, cause, answered, () => this.#settle(end)))
  }

  #settle(end: AttemptEnd<T>): void {
    if (end.ok) this.#resolve(end.value)
    else this.#reject(end.error)
  }
}
