import { HISTOGRAMS, PEAKS, SUMS } from '../../features/outcomes/columns.ts'
import type { Row } from '../../features/outcomes/roll-up.ts'
import { weightOf } from '../../features/outcomes/tally.ts'

/** What is added up: counts, integrals, histograms (one series for each `bucket`), and the weight of a row, which is there for every row. */
export const SUM_METRIC = 'weir_outcome'
/** What the largest is kept of. */
export const PEAK_METRIC = 'weir_outcome_peak'
export const WEIGHT = 'weight'

export interface Sample {
  readonly ms: number
  readonly value: number
}
export interface SampleSeries {
  /** By name, as the protocol wants them. */
  readonly labels: readonly (readonly [string, string])[]
  readonly samples: Sample[]
}

/** Moments of a second in which a replica may say something of a series; the last millisecond stays free: there a range of older engines begins. */
const MOMENTS = 999
/** Seconds are remembered for this long: no window is later. */
const REMEMBERED_SECONDS = 1_800

/** Gives each contribution to a second a moment of its own, so that none replaces another. */
export class Moments {
  readonly #used = new Map<number, number>()
  readonly #replica: string

  /** `replica`: a name that no other process has or had. */
  constructor(replica: string) {
    this.#replica = replica
  }

  /** Of one write. Where a second has no moment left, they begin anew under another name. */
  next(second: number): { readonly ms: number; readonly replica: string } {
    const used = this.#used.get(second) ?? 0
    this.#used.set(second, used + 1)
    const lane = Math.floor(used / MOMENTS)
    return { ms: second * 1000 + (used % MOMENTS), replica: lane === 0 ? this.#replica : `${this.#replica}-${lane}` }
  }

  forget(nowMs: number): void {
    for (const second of this.#used.keys()) if (second < nowMs / 1000 - REMEMBERED_SECONDS) this.#used.delete(second)
  }
}

/** What one write adds, as a sample for every figure of every row that is not zero. */
export const samplesOf = (rows: Iterable<Row>, moments: Moments): SampleSeries[] => {
  const known = new Map<string, SampleSeries>()
  const at = new Map<number, { readonly ms: number; readonly replica: string }>()
  for (const row of rows) {
    const moment = at.get(row.second) ?? moments.next(row.second)
    at.set(row.second, moment)
    const place = placeOf(row, moment.replica)
    for (const { metric, figure, bucket, value } of figuresOf(row)) {
      const key = `${place.key}\n${metric}\n${figure}\n${bucket}`
      let series = known.get(key)
      if (series === undefined) {
        series = { labels: place.labels(metric, figure, bucket), samples: [] }
        known.set(key, series)
      }
      series.samples.push({ ms: moment.ms, value })
    }
  }
  for (const { samples } of known.values()) samples.sort((a, b) => a.ms - b.ms)
  return [...known.values()]
}

interface Figure {
  readonly metric: string
  readonly figure: string
  readonly bucket: string
  readonly value: number
}

const figuresOf = function* (row: Row): Generator<Figure> {
  yield { metric: SUM_METRIC, figure: WEIGHT, bucket: '', value: weightOf(row) }
  for (const [i, figure] of SUMS.entries()) {
    const value = row.sums[i] ?? 0
    if (value !== 0) yield { metric: SUM_METRIC, figure, bucket: '', value }
  }
  for (const [i, figure] of PEAKS.entries()) {
    const value = row.peaks[i] ?? Number.NaN
    if (!Number.isNaN(value)) yield { metric: PEAK_METRIC, figure, bucket: '', value }
  }
  for (const figure of HISTOGRAMS)
    for (const [bucket, value] of (row.histograms[figure] ?? []).entries())
      if (value !== 0) yield { metric: SUM_METRIC, figure, bucket: String(bucket), value }
}

/** `place` tells a gate or dependency of the whole environment in one label. An empty label is none: it is not sent. */
const placeOf = ({ environment, service, kind, name, cut, label, edge }: Row, replica: string) => ({
  key: [environment, service, kind, name, cut, label, edge, replica].join('\n'),
  labels: (metric: string, figure: string, bucket: string) =>
    (
      [
        ['__name__', metric],
        ['bucket', bucket],
        ['cut', cut],
        ['edge', String(edge)],
        ['environment', environment],
        ['figure', figure],
        ['kind', kind],
        ['label', label],
        ['name', name],
        ['place', `${service}/${name}`],
        ['replica', replica],
        ['service', service],
      ] as const
    ).filter(([, value]) => value !== ''),
})
