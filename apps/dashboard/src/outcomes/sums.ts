import type { LiveRow } from '@weir/api'

export type Figures = Readonly<Record<string, number>>

/** Of these the largest counts: an age and a level are not additive, and percentiles are never added nor averaged. */
const LARGEST = new Set(['oldestAgeMs', 'level', 'waitP50', 'waitP99', 'p50', 'p90', 'p99'])

/** Adds figures of one second over gates or dependencies of one kind. */
export const sumFigures = (parts: readonly Figures[]): Figures => {
  const sum: Record<string, number> = {}
  for (const part of parts)
    for (const name in part) {
      const value = part[name] ?? 0
      const before = sum[name]
      sum[name] = before === undefined ? value : LARGEST.has(name) ? Math.max(before, value) : before + value
    }
  return sum
}

const keyOf = (row: LiveRow): string => `${row.kind}\n${row.service}\n${row.name}`

/**
 * The rows of the newest seconds. A later message of the same second replaces the rows that it names and leaves the others,
 * so that a sum over gates is right whether the server repeats all rows or only those that changed.
 */
export class RecentRows {
  readonly #seconds = new Map<number, Map<string, LiveRow>>()

  constructor(readonly keep = 30) {}

  /** Returns all rows known of that second. */
  accept(second: number, rows: readonly LiveRow[]): readonly LiveRow[] {
    let known = this.#seconds.get(second)
    if (known === undefined) {
      known = new Map()
      this.#seconds.set(second, known)
      this.#forget()
    }
    for (const row of rows) known.set(keyOf(row), row)
    return [...known.values()]
  }

  #forget(): void {
    while (this.#seconds.size > this.keep) {
      const oldest = Math.min(...this.#seconds.keys())
      this.#seconds.delete(oldest)
    }
  }
}
