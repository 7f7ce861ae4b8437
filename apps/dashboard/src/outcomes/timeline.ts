/** A drawn value: `null` is a gap, nothing was heard. */
export type Point = number | null

/**
 * Figures over time in a ring: one slot a bucket of `step` seconds, the newest `capacity` buckets kept. A slot is known by its stamp,
 * so that a bucket nobody wrote reads as a gap, also after the ring went round. Columns appear when a figure is first seen.
 */
export class Timeline {
  readonly #stamps: Float64Array
  readonly #live: Uint8Array
  readonly #columns = new Map<string, Float64Array>()
  #latest = 0

  constructor(
    readonly capacity: number,
    readonly step: number,
  ) {
    this.#stamps = new Float64Array(capacity)
    this.#live = new Uint8Array(capacity)
  }

  /** Start of the newest bucket written, seconds; 0 = none. */
  get latest(): number {
    return this.#latest
  }

  /** Writes one live bucket whole: what an earlier message said of it is replaced. Older than the ring is dropped. */
  put(second: number, figures: Readonly<Record<string, number>>): void {
    const slot = this.#claim(second)
    if (slot === null) return
    this.#live[slot] = 1
    this.#clear(slot)
    for (const name in figures) this.#column(name)[slot] = figures[name] ?? Number.NaN
  }

  /** Writes history: `columns[name][i]` belongs to `from + i * step`. A bucket that was heard live is left as it is, unless `over`. */
  fill(from: number, columns: Readonly<Record<string, readonly Point[]>>, over = false): void {
    const entries = Object.entries(columns)
    const length = Math.max(0, ...entries.map(([, values]) => values.length))
    for (let i = 0; i < length; i++) {
      const heard = entries.some(([, values]) => typeof values[i] === 'number')
      if (!heard) continue
      const second = from + i * this.step
      const slot = this.#claim(second, over)
      if (slot === null) continue
      this.#live[slot] = 0
      this.#clear(slot)
      for (const [name, values] of entries) this.#column(name)[slot] = values[i] ?? Number.NaN
    }
  }

  at(second: number, name: string): Point {
    const slot = this.#slot(second)
    if (this.#stamps[slot] !== this.#floor(second)) return null
    const value = this.#columns.get(name)?.[slot]
    return value === undefined || Number.isNaN(value) ? null : value
  }

  /** Writes the values of `count` buckets from `from` into `out`, each times `factor`; `out` is reused from frame to frame. */
  read(name: string, from: number, count: number, factor: number, out: Point[]): void {
    const column = this.#columns.get(name)
    let second = this.#floor(from)
    let slot = this.#slot(second)
    out.length = count
    for (let i = 0; i < count; i++) {
      const value = this.#stamps[slot] === second ? column?.[slot] : undefined
      out[i] = value === undefined || Number.isNaN(value) ? null : value * factor
      second += this.step
      slot = slot + 1 === this.capacity ? 0 : slot + 1
    }
  }

  /** Sum over the buckets of `[from, to)`, gaps left out; `null` where all is gap. */
  sum(name: string, from: number, to: number): Point {
    const column = this.#columns.get(name)
    if (column === undefined) return null
    let total: Point = null
    let second = this.#floor(from)
    let slot = this.#slot(second)
    for (; second < to; second += this.step) {
      const value = second >= from && this.#stamps[slot] === second ? (column[slot] ?? Number.NaN) : Number.NaN
      if (!Number.isNaN(value)) total = (total ?? 0) + value
      slot = slot + 1 === this.capacity ? 0 : slot + 1
    }
    return total
  }

  /** Last known value of `[from, to)` less the first; 0 where there are not two. */
  change(name: string, from: number, to: number): number {
    let first: Point = null
    let last: Point = null
    for (let second = this.#floor(from); second < to && first === null; second += this.step)
      first = second < from ? null : this.at(second, name)
    for (let second = this.#floor(to - 1); second >= from && last === null; second -= this.step)
      last = this.at(second, name)
    return (last ?? 0) - (first ?? 0)
  }

  #floor(second: number): number {
    return Math.floor(second / this.step) * this.step
  }

  #slot(second: number): number {
    return Math.floor(second / this.step) % this.capacity
  }

  #claim(second: number, over = true): number | null {
    const start = this.#floor(second)
    if (start <= this.#latest - this.capacity * this.step || start <= 0) return null
    const slot = this.#slot(second)
    if (!over && this.#stamps[slot] === start && this.#live[slot] === 1) return null
    this.#stamps[slot] = start
    if (start > this.#latest) this.#latest = start
    return slot
  }

  #clear(slot: number): void {
    for (const column of this.#columns.values()) column[slot] = Number.NaN
  }

  #column(name: string): Float64Array {
    let column = this.#columns.get(name)
    if (column === undefined) {
      column = new Float64Array(this.capacity).fill(Number.NaN)
      this.#columns.set(name, column)
    }
    return column
  }
}
