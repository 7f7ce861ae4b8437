/**
 * Sums of a few numbers over the last `windowMs`, in `slots` slots of equal length. Expiry is by elapsed time and happens on use:
 * an idle window costs nothing and needs no timer. What was added is forgotten after `windowMs`, at most one slot earlier.
 */
export class RollingWindow {
  readonly #fields: number
  readonly #slots: number
  readonly #values: Float64Array
  readonly #totals: Float64Array
  #slotMs: number
  #current: number

  constructor(windowMs: number, slots: number, fields: number, now: number) {
    this.#fields = fields
    this.#slots = slots
    this.#values = new Float64Array(slots * fields)
    this.#totals = new Float64Array(fields)
    this.#slotMs = windowMs / slots
    this.#current = Math.floor(now / this.#slotMs)
  }

  add(now: number, field: number, amount: number): void {
    this.#advance(now)
    const at = (this.#current % this.#slots) * this.#fields + field
    this.#values[at] = (this.#values[at] ?? 0) + amount
    this.#totals[field] = (this.#totals[field] ?? 0) + amount
  }

  sum(now: number, field: number): number {
    this.#advance(now)
    return this.#totals[field] ?? 0
  }

  reset(): void {
    this.#values.fill(0)
    this.#totals.fill(0)
  }

  /** Another length; what the window holds stays, as if it were of now. */
  resize(windowMs: number, now: number): void {
    if (windowMs / this.#slots === this.#slotMs) return
    this.#advance(now)
    this.#slotMs = windowMs / this.#slots
    this.#current = Math.floor(now / this.#slotMs)
    this.#values.fill(0)
    this.#values.set(this.#totals, (this.#current % this.#slots) * this.#fields)
  }

  #advance(now: number): void {
    const index = Math.floor(now / this.#slotMs)
    const steps = index - this.#current
    if (steps <= 0) return
    this.#current = index
    if (steps >= this.#slots) this.reset()
    else for (let step = 0; step < steps; step++) this.#forget((index - step) % this.#slots)
  }

  #forget(slot: number): void {
    for (let field = 0; field < this.#fields; field++) {
      const at = slot * this.#fields + field
      this.#totals[field] = (this.#totals[field] ?? 0) - (this.#values[at] ?? 0)
      this.#values[at] = 0
    }
  }
}
