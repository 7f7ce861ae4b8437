import { HISTOGRAMS, PEAKS, SUMS } from '../../features/outcomes/columns.ts'
import { BUCKETS } from '../../features/outcomes/histogram.ts'
import type { Row } from '../../features/outcomes/roll-up.ts'
import { weightOf } from '../../features/outcomes/tally.ts'

/** What is added up: counts, integrals, histograms (one series for each `bucket`), and the weight of a row, which is there for every row. */
export const SUM_METRIC = 'weir_outcome'
/** What the largest is kept of. */
export const PEAK_METRIC = 'weir_outcome_peak'
export const WEIGHT = 'weight'

/** What the series of one place are told apart by. */
export interface FigureName {
  readonly metric: string
  readonly figure: string
  /** Empty where it is no histogram. */
  readonly bucket: string
}
const named = (metric: string, figures: readonly string[]): FigureName[] =>
  figures.map((figure) => ({ metric, figure, bucket: '' }))

export const FIGURES: readonly FigureName[] = [
  ...named(SUM_METRIC, [WEIGHT, ...SUMS]),
  ...named(PEAK_METRIC, PEAKS),
  ...HISTOGRAMS.flatMap((figure) =>
    Array.from({ length: BUCKETS }, (_, bucket) => ({ metric: SUM_METRIC, figure, bucket: String(bucket) })),
  ),
]
const FIRST_PEAK = 1 + SUMS.length
const FIRST_COUNT = FIRST_PEAK + PEAKS.length

export interface Sample {
  readonly ms: number
  readonly value: number
}
/** The series of one row's place. */
export interface PlaceSamples {
  /** By name, without those of the figure. An empty label is none: it is not here. */
  readonly labels: readonly (readonly [string, string])[]
  /** By the index in `FIGURES`, each in the order of time. */
  readonly samples: readonly (Sample[] | undefined)[]
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
export const samplesOf = (rows: Iterable<Row>, moments: Moments): PlaceSamples[] => {
  const places = new Map<string, { labels: PlaceSamples['labels']; samples: (Sample[] | undefined)[] }>()
  const at = new Map<number, { readonly ms: number; readonly replica: string }>()
  for (const row of rows) {
    const moment = at.get(row.second) ?? moments.next(row.second)
    at.set(row.second, moment)
    const { environment, service, kind, name, cut, label, edge } = row
    const key = `${environment}\n${service}\n${kind}\n${name}\n${cut}\n${label}\n${edge}\n${moment.replica}`
    let place = places.get(key)
    if (place === undefined) {
      place = { labels: labelsOf(row, moment.replica), samples: new Array<undefined>(FIGURES.length).fill(undefined) }
      places.set(key, place)
    }
    tell(row, moment.ms, place.samples)
  }
  for (const { samples } of places.values())
    for (const of of samples) if (of !== undefined && of.length > 1) of.sort((a, b) => a.ms - b.ms)
  return [...places.values()]
}

const tell = (row: Row, ms: number, into: (Sample[] | undefined)[]): void => {
  const add = (index: number, value: number) => {
    const known = into[index]
    if (known === undefined) into[index] = [{ ms, value }]
    else known.push({ ms, value })
  }
  const { sums, peaks, histograms } = row
  add(0, weightOf(row))
  for (let i = 0; i < sums.length; i++) if (sums[i] !== 0) add(1 + i, sums[i] as number)
  for (let i = 0; i < peaks.length; i++) if (!Number.isNaN(peaks[i])) add(FIRST_PEAK + i, peaks[i] as number)
  for (const [i, column] of HISTOGRAMS.entries()) {
    const counts = histograms[column]
    for (let bucket = 0; counts !== undefined && bucket < BUCKETS; bucket++)
      if (counts[bucket] !== 0) add(FIRST_COUNT + i * BUCKETS + bucket, counts[bucket] as number)
  }
}

/** `place` tells a gate or dependency of the whole environment in one label. */
const labelsOf = (
  { environment, service, kind, name, cut, label, edge }: Row,
  replica: string,
): (readonly [string, string])[] =>
  (
    [
      ['cut', cut],
      ['edge', String(edge)],
      ['environment', environment],
      ['kind', kind],
      ['label', label],
      ['name', name],
      ['place', `${service}/${name}`],
      ['replica', replica],
      ['service', service],
    ] as const
  ).filter(([, value]) => value !== '')
