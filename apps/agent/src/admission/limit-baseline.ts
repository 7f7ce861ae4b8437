import { longAverageStep } from '@weir/policy/model'

/** The most that a baseline rises in a minute. */
const RISE_A_MINUTE = 1.1
const MINUTE_MS = 60_000
/** Windows in a row that must agree before the baseline falls, and that it begins with. */
const AGREE = 3

/**
 * The round trip without load. Falls freely, to what three windows in a row agree on: a lucky one is not believed. Rises towards the long average of
 * the windows, at most x 1.1 a minute, and only in calm ones: a steady incident does not become what is normal.
 */
export class Baseline {
  /** NaN until a window was seen. */
  ms = Number.NaN
  #longMs = Number.NaN
  readonly #last = new Float64Array(AGREE)
  #windows = 0

  /** `calm`: nobody waited, nothing met overload, and slots were free. */
  learn(medianMs: number, calm: boolean, windowMs: number): void {
    this.#last[this.#windows++ % AGREE] = medianMs
    this.#longMs = this.#windows === 1 ? medianMs : longAverageStep(this.#longMs, medianMs)
    const agreedMs = Math.max(...this.#last)
    if (this.#windows <= AGREE || agreedMs < this.ms) this.ms = agreedMs
    else if (calm && this.#longMs > this.ms) this.ms = Math.min(this.#longMs, this.ms * risen(windowMs))
  }
}

const risen = (windowMs: number): number => RISE_A_MINUTE ** (Math.min(windowMs, MINUTE_MS) / MINUTE_MS)
