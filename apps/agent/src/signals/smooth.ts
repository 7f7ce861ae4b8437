/** Weight of the newest sample. */
const NEWEST = 0.5

/** Exponential average. An unknown sample is unknown at once, and the next known one begins anew: nothing is made up. */
export class Smooth {
  #value = Number.NaN

  next(sample: number): number {
    this.#value = Number.isNaN(this.#value) ? sample : this.#value + (sample - this.#value) * NEWEST
    return this.#value
  }
}
