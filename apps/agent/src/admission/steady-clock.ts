import type { Clock } from '../core/clock.ts'

/** A clock that neither fails nor steps back: where the given one does, the last reading stands. */
export class SteadyClock implements Clock {
  readonly #clock: Clock
  readonly #failed: (error: unknown) => void
  /** The last reading. Read where a time was taken already: passing it on would make it an object. */
  lastMs = 0

  constructor(clock: Clock, failed: (error: unknown) => void) {
    this.#clock = clock
    this.#failed = failed
  }

  now(): number {
    this.read()
    return this.lastMs
  }

  /** Takes a reading. */
  read(): void {
    try {
      const nowMs = this.#clock.now()
      if (nowMs > this.lastMs) this.lastMs = nowMs
    } catch (error) {
      this.#failed(error)
    }
  }
}
