import { ATTRIBUTES, METRICS, type MetricAttribute, type MetricName } from '@weir/wire/model'
import type { FigureAttributes, FigureSink } from '../core/figures.ts'

export interface Series {
  readonly name: MetricName
  readonly attributes: FigureAttributes
  /** Counter: sum of deltas; gauge: last value; histogram: sum in seconds. */
  value: number
  /** Histograms only, per bucket. */
  counts: number[] | null
}

const KEYS = Object.keys(ATTRIBUTES) as MetricAttribute[]

/** Attributes in the table's order, so that equal sets have equal keys. */
const keyOf = (name: string, attributes: FigureAttributes): string => {
  let key = name
  for (const attribute of KEYS) {
    const value = attributes[attribute]
    if (value !== undefined) key += `\u0000${attribute}\u0001${typeof value}\u0001${value}`
  }
  return key
}

/** Series of one window; a gate bounds its tenants, this bounds a process that has many gates. */
const MAX_SERIES = 20_000

/** Figures of a stretch of time, `startMs .. endMs` of the monotonic clock, that has not been sent yet: it may still take in what comes after. */
export class OpenWindow implements FigureSink {
  readonly startMs: number
  endMs: number
  readonly #series = new Map<string, Series>()

  constructor(startMs: number) {
    this.startMs = startMs
    this.endMs = startMs
  }

  get series(): Iterable<Series> {
    return this.#series.values()
  }

  get size(): number {
    return this.#series.size
  }

  counter(name: MetricName, delta: number, attributes: FigureAttributes): void {
    const series = this.#at(name, attributes)
    if (series) series.value += delta
  }

  gauge(name: MetricName, value: number, attributes: FigureAttributes): void {
    const series = this.#at(name, attributes)
    if (series) series.value = value
  }

  histogram(name: MetricName, counts: readonly number[], sum: number, attributes: FigureAttributes): void {
    const series = this.#at(name, attributes)
    if (!series) return
    series.value += sum
    if (series.counts === null) series.counts = [...counts]
    else for (let i = 0; i < counts.length; i++) series.counts[i] = (series.counts[i] ?? 0) + (counts[i] ?? 0)
  }

  #at(name: MetricName, attributes: FigureAttributes): Series | null {
    const key = keyOf(name, attributes)
    const found = this.#series.get(key)
    if (found) return found
    if (this.#series.size >= MAX_SERIES) return this.#folded(name, attributes)
    const series: Series = { name, attributes: { ...attributes }, value: 0, counts: null }
    this.#series.set(key, series)
    return series
  }

  /** Past the bound a tenant's figures go to `other`, so that totals stay exact. */
  #folded(name: MetricName, attributes: FigureAttributes): Series | null {
    if (METRICS[name].kind === 'gauge') return null
    const folded: FigureAttributes = attributes.tenant === undefined ? attributes : { ...attributes, tenant: 'other' }
    const key = keyOf(name, folded)
    const found = this.#series.get(key)
    if (found) return found
    const series: Series = { name, attributes: { ...folded }, value: 0, counts: null }
    this.#series.set(key, series)
    return series
  }
}
