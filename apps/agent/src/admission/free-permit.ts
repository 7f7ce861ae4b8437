import type { Clock } from '../core/clock.ts'
import type { Permit } from './work.ts'

/** Of work that takes no slot. Ends as often as one likes. */
abstract class SlotlessPermit implements Permit {
  #ended = false
  abstract readonly signal: AbortSignal
  abstract readonly remainingMs: number
  abstract readonly live: boolean
  abstract cancel(): void

  get accepted(): true {
    return true
  }

  get degraded(): boolean {
    return false
  }

  /** Whether the host ended it. */
  get ended(): boolean {
    return this.#ended
  }

  success(): void {
    this.#ended = true
  }

  failure(): void {
    this.#ended = true
  }

  dropped(): void {
    this.#ended = true
  }

  ignored(): void {
    this.#ended = true
  }
}

/** At a gate that is off, or that broke. */
export class FreePermit extends SlotlessPermit {
  readonly #clock: Clock
  readonly #deadlineMs: number
  #controller: AbortController | undefined = undefined

  constructor(clock: Clock, deadlineMs: number) {
    super()
    this.#clock = clock
    this.#deadlineMs = deadlineMs
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  get live(): boolean {
    return false
  }

  get remainingMs(): number {
    return Math.max(0, this.#deadlineMs - this.#clock.now())
  }

  cancel(): void {
    this.#controller ??= new AbortController()
    this.#controller.abort()
  }
}

/** Of work that enters a gate which it already holds: it lives by the permit that it has. */
export class NestedPermit extends SlotlessPermit {
  readonly #held: Permit

  constructor(held: Permit) {
    super()
    this.#held = held
  }

  get signal(): AbortSignal {
    return this.#held.signal
  }

  get live(): boolean {
    return this.#held.live
  }

  get remainingMs(): number {
    return this.#held.remainingMs
  }

  cancel(): void {}
}
