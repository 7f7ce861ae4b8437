import { DEPENDENCY_FIGURES, GATE_FIGURES, type Outcomes, type outcomesQuerySchema } from '@weir/api'
import type { z } from 'zod'
import { done, type Result, refused } from '../result.ts'
import {
  DEPENDENCY_FIGURE_COLUMNS,
  DEPENDENCY_GAUGE_COLUMNS,
  GATE_FIGURE_COLUMNS,
  GATE_GAUGE_COLUMNS,
  type Kind,
  PEAKS,
  type PeakColumn,
  type SumColumn,
} from './columns.ts'
import { percentile } from './histogram.ts'
import {
  type Figures,
  type OutcomeQuery,
  type OutcomeSlice,
  type OutcomeStore,
  STEPS,
  type Step,
} from './outcome-store.ts'
import type { Cut } from './roll-up.ts'

export const MAX_POINTS = 3_600
export const MAX_SERIES = 50
const MAX_RANGE_SECONDS = 31 * 86_400

type Asked = z.output<typeof outcomesQuerySchema>
type Grouping = Asked['groupBy']

const CUT_OF: Readonly<Record<Grouping, Pick<OutcomeQuery, 'cut' | 'labelBy'>>> = {
  none: { cut: 'total', labelBy: 'nothing' },
  service: { cut: 'total', labelBy: 'service' },
  gate: { cut: 'total', labelBy: 'name' },
  class: { cut: 'class', labelBy: 'label' },
  tenant: { cut: 'tenant', labelBy: 'label' },
  reason: { cut: 'reason', labelBy: 'label' },
  revision: { cut: 'revision', labelBy: 'label' },
  instance: { cut: 'instance', labelBy: 'label' },
}
/** Cuts whose series are there as soon as the service is: where it was heard and the series was not, that is a zero, not a gap. */
const ZERO_FILLED: ReadonlySet<Cut> = new Set(['class', 'tenant', 'reason', 'revision'])

interface Resolution {
  readonly step: Step
  readonly bucket: number
}

/**
 * The finest kept resolution that still has the beginning of the range and gives at most 3,600 points; above 60 h of one-minute buckets,
 * several of them in one. A step that was asked for is only made coarser where its buckets are no longer kept.
 */
const resolutionOf = (from: number, to: number, nowMs: number, asked: Step | undefined): Resolution => {
  const kept = STEPS.filter(({ keepSeconds }) => from >= nowMs / 1000 - keepSeconds)
  const usable = kept.filter(({ step }) => step >= (asked ?? 1))
  const fits = usable.find(({ step }) => asked !== undefined || (to - from) / step <= MAX_POINTS)
  const step = fits?.step ?? STEPS[STEPS.length - 1]?.step ?? 60
  return { step, bucket: step * Math.max(1, Math.ceil((to - from) / step / MAX_POINTS)) }
}

/** Answers what dashboards and programs ask of the figures. */
export class OutcomeReader {
  readonly #store: OutcomeStore
  readonly #now: () => number

  constructor(store: OutcomeStore, now: () => number = Date.now) {
    this.#store = store
    this.#now = now
  }

  async read(environment: string, asked: Asked): Promise<Result<Outcomes>> {
    const nowMs = this.#now()
    const fromS = Date.parse(asked.from) / 1000
    const toS = Date.parse(asked.to) / 1000
    if (!(toS > fromS)) return invalid('to', 'The range ends before it begins.')
    if (toS - fromS > MAX_RANGE_SECONDS) return invalid('from', 'A range is at most 31 days.')
    if (asked.step !== undefined && (toS - fromS) / asked.step > MAX_POINTS)
      return invalid('step', `That gives more than ${MAX_POINTS} points: ask for a larger step or a shorter range.`)
    const { step, bucket } = resolutionOf(fromS, toS, nowMs, asked.step)
    const from = Math.floor(fromS / bucket) * bucket
    const to = Math.ceil(toS / bucket) * bucket
    const slice = await this.#store.query({
      environment,
      kind: asked.kind,
      service: asked.service ?? null,
      name: asked.name ?? null,
      edge: asked.edge ?? null,
      ...CUT_OF[asked.groupBy],
      from,
      to,
      step,
      bucket,
      maxSeries: MAX_SERIES,
    })
    const axis = { from, bucket, points: (to - from) / bucket, nowS: nowMs / 1000 }
    return done({
      kind: asked.kind,
      from: iso(from),
      to: iso(to),
      step: bucket,
      groupBy: asked.groupBy,
      series: seriesOf(slice, asked.kind, axis, ZERO_FILLED.has(CUT_OF[asked.groupBy].cut)),
      totals: totalsOf(slice.total, asked.kind),
      skewed: Math.round(slice.total.skewed ?? 0),
    })
  }
}

const iso = (second: number): string => new Date(second * 1000).toISOString()
const invalid = (path: string, message: string) => refused('invalid', message, [{ path, message }])

interface Axis {
  readonly from: number
  readonly bucket: number
  readonly points: number
  readonly nowS: number
}

const columnsOf = (kind: Kind) =>
  kind === 'gate'
    ? { figures: GATE_FIGURE_COLUMNS, gauges: GATE_GAUGE_COLUMNS }
    : { figures: DEPENDENCY_FIGURE_COLUMNS, gauges: DEPENDENCY_GAUGE_COLUMNS }

/** Takes the noise off means and percentiles. Counts are exact as they are. */
const tidy = (value: number): number => Math.round(value * 1e6) / 1e6

const seriesOf = (slice: OutcomeSlice, kind: Kind, axis: Axis, zeroFilled: boolean): Outcomes['series'] => {
  const byLabel = Map.groupBy(slice.rows, (row) => row.label)
  const heard = new Set(slice.heard)
  const { figures } = columnsOf(kind)
  return [...byLabel]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, rows]) => {
      const points: Record<string, (number | null)[]> = {}
      const column = (name: string) => {
        points[name] ??= new Array<number | null>(axis.points).fill(null)
        return points[name]
      }
      if (zeroFilled)
        for (const name of Object.keys(figures))
          for (const second of heard) column(name)[(second - axis.from) / axis.bucket] = 0
      for (const row of rows) {
        const at = (row.second - axis.from) / axis.bucket
        for (const [name, value] of bucketFigures(row.figures, kind, heardSeconds(row.second, axis)))
          column(name)[at] = value
      }
      return { label, figures: points }
    })
}

/** The newest bucket is not over: its means are over the part that is. */
const heardSeconds = (second: number, { bucket, nowS }: Axis): number =>
  Math.min(bucket, Math.max(1, nowS - second - 1))

const bucketFigures = (row: Figures, kind: Kind, seconds: number): [string, number | null][] => {
  const { figures, gauges } = columnsOf(kind)
  return [
    ...Object.entries(figures).map(([name, column]): [string, number] => [name, row[column] ?? 0]),
    ...Object.entries(gauges).map(([name, column]): [string, number | null] => [name, gaugeOf(row, column, seconds)]),
    ...latencies(row, kind),
  ]
}

const isPeak = (column: SumColumn | PeakColumn): column is PeakColumn => (PEAKS as readonly string[]).includes(column)

const gaugeOf = (row: Figures, column: SumColumn | PeakColumn, seconds: number): number | null => {
  if (isPeak(column)) return row[column]
  const heard = row.gauge_seconds ?? 0
  if (heard === 0) return null
  return tidy((row[column] ?? 0) / (column === 'budget_left_integral' ? heard : seconds))
}

const latencies = (row: Figures, kind: Kind): [string, number | null][] => {
  const of = (counts: number[] | null, q: number) => {
    const value = counts === null ? null : percentile(counts, q)
    return value === null ? null : tidy(value)
  }
  const whole: [string, number | null][] = [
    ['p50', of(row.duration_counts, 0.5)],
    ['p90', of(row.duration_counts, 0.9)],
    ['p99', of(row.duration_counts, 0.99)],
  ]
  if (kind === 'dependency') return whole
  return [['waitP50', of(row.wait_counts, 0.5)], ['waitP99', of(row.wait_counts, 0.99)], ...whole]
}

/** Every additive figure, and the percentiles of the whole range where anything was measured. */
const totalsOf = (total: Figures, kind: Kind): Record<string, number> => {
  const names = kind === 'gate' ? GATE_FIGURES : DEPENDENCY_FIGURES
  const { figures } = columnsOf(kind)
  const columns: Readonly<Record<string, SumColumn>> = figures
  const totals: Record<string, number> = {}
  for (const name of names) totals[name] = total[columns[name] as SumColumn] ?? 0
  for (const [name, value] of latencies(total, kind)) if (value !== null) totals[name] = value
  return totals
}
