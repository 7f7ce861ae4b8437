/** What adapters take where they are told nothing. Twice what one gate defers at a time. */
export const MAX_UNANSWERED = 200

/**
 * Calls that a broker has not answered. Clients keep what they are asked while their broker is away, also where nobody waits for it any more: without a bound
 * an outage would fill the memory.
 */
export class Unanswered {
  readonly #max: number
  #count = 0

  constructor(max: number) {
    this.#max = max >= 0 ? max : MAX_UNANSWERED
  }

  /** @throws where the broker owes so many answers already; else as `call` does. */
  async ask<T>(call: () => Promise<T>): Promise<T> {
    if (this.#count >= this.#max) throw new Error(`The queue owes ${this.#count} answers already.`)
    this.#count++
    try {
      return await call()
    } finally {
      this.#count--
    }
  }
}
