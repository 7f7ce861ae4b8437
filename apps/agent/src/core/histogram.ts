import { DURATION_BOUNDS_S, type MetricName } from '@weir/wire/model'
import type { FigureAttributes, FigureSink } from './figures.ts'

const BOUNDS_MS = DURATION_BOUNDS_S.map((seconds) => seconds * 1_000)
/** Most waits are none: the first cell is found without a search. */
const FIRST_MS = BOUNDS_MS[0] ?? 0

/** Durations since the last collection, in the buckets of `DURATION_BOUNDS_S` (upper bounds inclusive) and an open one. */
export class DurationHistogram {
  #counts = emptyCells()
  #sumMs = 0
  #total = 0

  /** Milliseconds. A negative duration counts as 0; NaN and infinity are no durations and are left out. */
  record(ms: number): void {
    if (!Number.isFinite(ms)) return
    const cell = ms <= FIRST_MS ? 0 : cellOf(ms)
    this.#counts[cell] = (this.#counts[cell] as number) + 1
    this.#sumMs += Math.max(ms, 0)
    this.#total++
  }

  /** As `record(0)`. */
  recordNone(): void {
    this.#counts[0] = (this.#counts[0] as number) + 1
    this.#total++
  }

  /** Hands over what was recorded, in seconds, and starts anew; nothing when nothing was recorded. */
  collect(sink: FigureSink, name: MetricName, attributes: FigureAttributes): void {
    if (this.#total === 0) return
    const counts = this.#counts
    const sum = this.#sumMs / 1_000
    this.#counts = emptyCells()
    this.#sumMs = 0
    this.#total = 0
    sink.histogram(name, counts, sum, attributes)
  }
}

const emptyCells = (): number[] => new Array<number>(BOUNDS_MS.length + 1).fill(0)

const cellOf = (ms: number): number => {
  let low = 0
  let high = BOUNDS_MS.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ms <= (BOUNDS_MS[middle] ?? Infinity)) high = middle
    else low = middle + 1
  }
  return low
}
