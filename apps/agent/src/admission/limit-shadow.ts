import type { Limit } from './limit.ts'

/** Two limits that see the same: the live one decides, the shadow only reports. */
export class ShadowedLimit implements Limit {
  readonly #live: Limit
  readonly #shadow: Limit

  constructor(live: Limit, shadow: Limit) {
    this.#live = live
    this.#shadow = shadow
  }

  get slots(): number {
    return this.#live.slots
  }

  sample(ms: number, inFlight: number, nowMs: number): void {
    this.#live.sample(ms, inFlight, nowMs)
    this.#shadow.sample(ms, inFlight, nowMs)
  }

  overrun(ms: number, inFlight: number, nowMs: number): void {
    this.#live.overrun(ms, inFlight, nowMs)
    this.#shadow.overrun(ms, inFlight, nowMs)
  }

  drop(inFlight: number, nowMs: number): void {
    this.#live.drop(inFlight, nowMs)
    this.#shadow.drop(inFlight, nowMs)
  }

  waited(): void {
    this.#live.waited()
    this.#shadow.waited()
  }
}
