import type { Random } from '@weir/testkit'

/** By how much a clock is fast or slow at most, as a share. Two of them are twice that apart. */
const MOST_DRIFT = 0.0045
const MOST_OFFSET_MS = 1_000_000

/** A clock of one machine: neither at the same time as others, nor as fast. */
export class Skew {
  readonly #offsetMs: number
  readonly #rate: number

  constructor(random: Random) {
    this.#offsetMs = random() * MOST_OFFSET_MS
    this.#rate = 1 + (2 * random() - 1) * MOST_DRIFT
  }

  /** What it shows at a true time. */
  at(trueMs: number): number {
    return this.#offsetMs + trueMs * this.#rate
  }

  /** How long a timer of so many milliseconds takes in truth. */
  lasts(ms: number): number {
    return ms / this.#rate
  }
}
