import { DURATION_BOUNDS_S, type MetricName } from '@weir/wire/model'
import type { FigureAttributes, FigureSink } from './figures.ts'

const BOUNDS_MS = DURATION_BOUNDS_S.map((seconds) => seconds * 1_000)
/** Most waits are none: the first cell is found without a search. */
const FIRST_MS = BOUNDS_MS[0] ?? 0

/** Durations since the last collection, in the buckets of `DURATION_BOUNDS_S` (upper bounds inclusive) and an open one. */
export class DurationHistogram {
  #counts = emptyCells()
  /** Of the first cell, in which most are, until it is added to it: counted here, where no other memory need be touched. */
  #first = 0
  #sumMs = 0

  /** Milliseconds. A negative duration counts as 0; NaN and infinity are no durations and are left out. */
  record(ms: number): void {
    if (ms >= 0 && ms <= FIRST_MS) {
      this.recordNone()
      this.#sumMs += ms
    } else this.#recordLong(ms)
  }

  /** As `record(0)`. */
  recordNone(): void {
    this.#first++
  }

  /** Hands over what was recorded, in seconds, and starts anew; nothing when nothing was recorded. */
  collect(sink: FigureSink, name: MetricName, attributes: FigureAttributes): void {
    const counts = this.#counts
    counts[0] = (counts[0] as number) + this.#first
    this.#first = 0
    if (counts.every((count) => count === 0)) return
    const sum = this.#sumMs / 1_000
    this.#counts = emptyCells()
    this.#sumMs = 0
    sink.histogram(name, counts, sum, attributes)
  }

  #recordLong(ms: number): void {
    if (!Number.isFinite(ms)) return
    const cell = cellOf(ms)
    this.#counts[cell] = (this.#counts[cell] as number) + 1
    this.#sumMs += Math.max(ms, 0)
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
