import { timeShares } from './book-time.ts'
import { HISTOGRAMS, type HistogramColumn, type Kind, PEAKS, SUM_INDEX, SUMS, type SumColumn } from './columns.ts'
import { BUCKETS } from './histogram.ts'
import type { Seated, Seats, ServiceSeats } from './seats.ts'
import type { Cell, Window } from './window.ts'

/**
 * Ways in which a figure is told apart. Each is a cut of its own through the same figures (the cross product of all would be unbounded):
 * the rows of one cut are never added to those of another.
 */
export const CUTS = ['total', 'class', 'tenant', 'reason', 'revision', 'instance'] as const
export type Cut = (typeof CUTS)[number]

interface RowFigures {
  edge: boolean
  readonly sums: Float64Array
  /** NaN: not heard. */
  readonly peaks: Float64Array
  readonly histograms: Partial<Record<HistogramColumn, Float64Array>>
}

/** One bucket of one series. */
export interface Row extends RowFigures {
  /** Start of the bucket, whole seconds since the epoch. */
  readonly second: number
  readonly environment: string
  readonly service: string
  readonly kind: Kind
  readonly name: string
  readonly cut: Cut
  /** Empty for `total`. */
  readonly label: string
}
export type Rows = Map<string, Row>

const WEIGHTS = (['offered', 'calls', 'shed', 'expired'] as const).map((column: SumColumn) => SUM_INDEX[column])
const weightOf = ({ sums }: RowFigures): number => WEIGHTS.reduce((sum, index) => sum + (sums[index] ?? 0), 0)

const empty = (): RowFigures => ({
  edge: false,
  sums: new Float64Array(SUMS.length),
  peaks: new Float64Array(PEAKS.length).fill(Number.NaN),
  histograms: {},
})

const rowIn = (rows: Rows, identity: Omit<Row, keyof RowFigures>): Row => {
  const { second, environment, service, kind, name, cut, label } = identity
  const key = `${second}\n${environment}\n${service}\n${kind}\n${name}\n${cut}\n${label}`
  let row = rows.get(key)
  if (row === undefined) {
    row = {
      second,
      environment,
      service,
      kind,
      name,
      cut,
      label,
      ...empty(),
    }
    rows.set(key, row)
  }
  return row
}

/** Adds a share of figures to a row, which it returns. */
export const addTo = <R extends RowFigures>(row: R, from: RowFigures, share: number): R => {
  row.edge ||= from.edge
  for (let i = 0; i < row.sums.length; i++) {
    const value = from.sums[i] ?? 0
    if (value !== 0) row.sums[i] = (row.sums[i] ?? 0) + value * share
  }
  for (let i = 0; i < row.peaks.length; i++) {
    const value = from.peaks[i] ?? Number.NaN
    if (!Number.isNaN(value)) row.peaks[i] = Number.isNaN(row.peaks[i]) ? value : Math.max(row.peaks[i] ?? 0, value)
  }
  for (const column of HISTOGRAMS) {
    const counts = from.histograms[column]
    if (counts === undefined) continue
    const into = row.histograms[column] ?? new Float64Array(BUCKETS)
    row.histograms[column] = into
    for (let i = 0; i < counts.length; i++) into[i] = (into[i] ?? 0) + (counts[i] ?? 0) * share
  }
  return row
}

/** Rows of one stretch of time, before they are split by seconds. */
type SpanRow = RowFigures & { readonly kind: Kind; readonly name: string; readonly cut: Cut; readonly label: string }

const cutsOf = (cell: Cell, seats: Record<Seated, Seats>, weight: number, nowMs: number): [Cut, string][] => {
  const cuts: [Cut, string][] = [['total', '']]
  for (const cut of ['class', 'tenant', 'reason', 'revision'] as const) {
    const label = cell.labels[cut]
    if (label !== null) cuts.push([cut, seats[cut].seat(label, weight, nowMs)])
  }
  return cuts
}

const spanRows = (cells: Iterable<Cell>, seats: Record<Seated, Seats>, nowMs: number): SpanRow[] => {
  const rows = new Map<string, SpanRow>()
  for (const cell of cells) {
    const weight = weightOf(cell)
    const { kind } = cell
    const name = seats.name.seat(cell.name, weight, nowMs)
    for (const [cut, label] of cutsOf(cell, seats, weight, nowMs)) {
      const key = `${cut}\n${label}\n${kind}\n${name}`
      const known = rows.get(key)
      if (known === undefined) rows.set(key, addTo({ kind, name, cut, label, ...empty() }, cell, 1))
      else addTo(known, cell, 1)
    }
  }
  return [...rows.values()]
}

/**
 * Rows of one second from windows. A window that lies in several seconds is split by time, exactly: what is added up over the rows of one cut is
 * what was sent, whatever the order and the grouping.
 */
export const rollUp = (windows: Iterable<Window>, seats: ServiceSeats, nowMs: number): Rows => {
  const rows: Rows = new Map()
  for (const { environment, service, instance, spans } of windows) {
    const own = seats.of(environment, service)
    for (const span of spans) {
      const shares = timeShares(span.startMs, span.endMs)
      for (const row of spanRows(span.cells.values(), own, nowMs)) {
        const { kind, name, cut, label } = row
        const seat = cut === 'total' ? own.instance.seat(instance, weightOf(row), nowMs) : null
        for (const { second, share } of shares) {
          addTo(rowIn(rows, { second, environment, service, kind, name, cut, label }), row, share)
          if (seat !== null)
            addTo(rowIn(rows, { second, environment, service, kind, name, cut: 'instance', label: seat }), row, share)
        }
      }
    }
  }
  return rows
}

/** The same figures in buckets of `step` seconds. */
export const coarsen = (rows: Iterable<Row>, step: number): Rows => {
  const coarse: Rows = new Map()
  for (const row of rows) addTo(rowIn(coarse, { ...row, second: row.second - (row.second % step) }), row, 1)
  return coarse
}
