import type { Outcomes } from '@weir/api'
import { figure } from '../format/numbers.ts'

export interface InstanceRow {
  readonly instance: string
  /** Per second. */
  readonly offered: number
  readonly goodput: number
  readonly refusedShare: number | null
  /** Seconds; the median of the buckets. `null`: nothing ended. */
  readonly p99: number | null
  /** In the newest bucket that says. */
  readonly slots: { readonly inFlight: number; readonly limit: number } | null
  /** In what it is unlike the others, in words. */
  readonly oddities: readonly string[]
  /** The largest of all rows: what a bar is measured by. */
  readonly of: { readonly offered: number; readonly p99: number }
}

/** Fewer than this are no crowd that one could be unlike. */
export const CROWD = 3
/** So many times the median, or less than that part of it, is unlike. */
const TIMES = 2
/** Shares this near to each other are alike. */
const SHARE_APART = 0.15
const LEAST_P99_SECONDS = 0.005

const known = (values: readonly (number | null)[] | undefined): number[] =>
  (values ?? []).filter((value): value is number => value !== null)
const sum = (values: readonly (number | null)[] | undefined): number =>
  known(values).reduce((all, value) => all + value, 0)

const median = (values: readonly number[]): number | null => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}

type Figures = Omit<InstanceRow, 'oddities' | 'of'>

const slotsOf = ({ figures }: Outcomes['series'][number]): InstanceRow['slots'] => {
  const limits = figures.limit ?? []
  const newest = limits.findLastIndex((limit) => limit !== null)
  const limit = limits[newest]
  if (limit == null) return null
  return { inFlight: (figures.active?.[newest] ?? 0) + (figures.zombies?.[newest] ?? 0), limit }
}

const rowOf = (series: Outcomes['series'][number], step: number): Figures => {
  const { label, figures } = series
  const seconds = Math.max(1, known(figures.offered).length) * step
  const offered = sum(figures.offered)
  const refused = sum(figures.shed) + sum(figures.expired)
  return {
    instance: label,
    offered: offered / seconds,
    goodput: (sum(figures.completed) - sum(figures.ignored)) / seconds,
    refusedShare: offered > 0 ? refused / offered : null,
    p99: median(known(figures.p99)),
    slots: slotsOf(series),
  }
}

/** Every process with its figures, those that are unlike the others first. */
export const instanceRows = (outcomes: Outcomes): InstanceRow[] => {
  const rows = outcomes.series.map((series) => rowOf(series, outcomes.step))
  const of = {
    offered: Math.max(0, ...rows.map((row) => row.offered)),
    p99: Math.max(0, ...rows.map((row) => row.p99 ?? 0)),
  }
  const middle = {
    offered: median(rows.map((row) => row.offered)) ?? 0,
    p99: median(known(rows.map((row) => row.p99))) ?? 0,
    refusedShare: median(known(rows.map((row) => row.refusedShare))) ?? 0,
  }
  return rows
    .map((row) => ({ ...row, of, oddities: rows.length < CROWD ? [] : odditiesOf(row, middle) }))
    .sort(
      (a, b) => b.oddities.length - a.oddities.length || b.offered - a.offered || (a.instance < b.instance ? -1 : 1),
    )
}

const odditiesOf = (row: Figures, middle: { offered: number; p99: number; refusedShare: number }): string[] => {
  const oddities: string[] = []
  const times = (value: number, of: number): string => `${figure(value / of)} × the median`
  if (row.p99 !== null && middle.p99 > 0 && row.p99 >= LEAST_P99_SECONDS && row.p99 >= middle.p99 * TIMES)
    oddities.push(`p99 ${times(row.p99, middle.p99)}`)
  if (middle.offered > 0 && (row.offered >= middle.offered * TIMES || row.offered <= middle.offered / TIMES))
    oddities.push(`offered ${times(row.offered, middle.offered)}`)
  if (Math.abs((row.refusedShare ?? middle.refusedShare) - middle.refusedShare) >= SHARE_APART)
    oddities.push(`refuses ${(row.refusedShare ?? 0) > middle.refusedShare ? 'more' : 'less'} than the others`)
  return oddities
}
