import type { Flight } from './flight.ts'
import type { Parts } from './parts.ts'

/**
 * What of one call runs now, an attempt and at most a hedge beside it, and the slots that this holds: one from the call's admission to its end, one
 * for each attempt where two run, and afterwards one, a zombie, for each that still runs.
 */
export class Flights {
  readonly #parts: Parts
  #first: Flight | undefined
  #second: Flight | undefined
  #over = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get count(): number {
    return (this.#first === undefined ? 0 : 1) + (this.#second === undefined ? 0 : 1)
  }

  /** One whose end still matters; the older where two run. */
  get current(): Flight | undefined {
    return this.live[0]
  }

  /** Those whose end still matters. */
  get live(): Flight[] {
    const live: Flight[] = []
    if (this.#first?.dropped === false) live.push(this.#first)
    if (this.#second?.dropped === false) live.push(this.#second)
    return live
  }

  add(flight: Flight): void {
    if (this.#first === undefined) this.#first = flight
    else this.#second = flight
  }

  /** It runs no more: its slot is free, unless it is the last of a call that goes on. */
  land(flight: Flight): void {
    if (flight !== this.#first && flight !== this.#second) return
    this.#remove(flight)
    const { slots } = this.#parts
    if (this.#over) slots.releaseZombie()
    else if (this.count > 0) slots.release()
  }

  /** The call is over. Whether something of it still runs. */
  end(): boolean {
    const { slots } = this.#parts
    this.#over = true
    if (this.count === 0) slots.release()
    for (let i = 0; i < this.count; i++) slots.toZombie()
    return this.count > 0
  }

  /** What still runs is not waited for any more. */
  lose(): void {
    const { slots, books } = this.#parts
    for (const flight of [this.#first, this.#second]) {
      if (flight === undefined) continue
      this.#remove(flight)
      books.counts.lost++
      slots.releaseZombie()
    }
  }

  #remove(flight: Flight): void {
    if (flight === this.#first) this.#first = undefined
    else this.#second = undefined
    if (flight.placement !== null) this.#parts.endpoints.ended(flight.placement)
  }
}
