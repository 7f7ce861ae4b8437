import type { Clock } from '../core/clock.ts'

/** A clock that neither fails nor steps back: where the given one does, the last reading stands. */
export class SteadyClock implements Clock {
  readonly #clock: Clock
  readonly #failed: (error: unknown) => void
  #nowMs = 0

  constructor(clock: Clock, failed: (error: unknown) => void) {
    this.#clock = clock
    this.#failed = failed
  }

  now(): number {
    try {
      const nowMs = this.#clock.now()
      if (nowMs > this.#nowMs) this.#nowMs = nowMs
    } catch (error) {
      this.#failed(error)
    }
    return this.#nowMs
  }
}
