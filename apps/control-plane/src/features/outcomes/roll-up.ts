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

/** One bucket of one series. */
export interface Row {
  /** Start of the bucket, whole seconds since the epoch. */
  readonly second: number
  readonly environment: string
  readonly service: string
  readonly kind: Kind
  readonly name: string
  readonly cut: Cut
  /** Empty for `total`. */
  readonly label: string
  edge: boolean
  readonly sums: Float64Array
  /** NaN: not heard. */
  readonly peaks: Float64Array
  readonly histograms: Partial<Record<HistogramColumn, Float64Array>>
}
export type Rows = Map<string, Row>

const WEIGHTS = (['offered', 'calls', 'shed', 'expired'] as const).map((column: SumColumn) => SUM_INDEX[column])
const weightOf = (cell: Cell): number => WEIGHTS.reduce((sum, index) => sum + (cell.sums[index] ?? 0), 0)

const rowIn = (rows: Rows, identity: Omit<Row, 'edge' | 'sums' | 'peaks' | 'histograms'>): Row => {
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
      edge: false,
      sums: new Float64Array(SUMS.length),
      peaks: new Float64Array(PEAKS.length).fill(Number.NaN),
      histograms: {},
    }
    rows.set(key, row)
  }
  return row
}

type RowFigures = Pick<Row, 'edge' | 'sums' | 'peaks' | 'histograms'>

export const addTo = (row: Row, from: RowFigures, share: number): void => {
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
}

const cutsOf = (cell: Cell, instance: string, seats: Record<Seated, Seats>, nowMs: number): [Cut, string][] => {
  const weight = weightOf(cell)
  const cuts: [Cut, string][] = [
    ['total', ''],
    ['instance', seats.instance.seat(instance, weight, nowMs)],
  ]
  for (const cut of ['class', 'tenant', 'reason', 'revision'] as const) {
    const label = cell.labels[cut]
    if (label !== null) cuts.push([cut, seats[cut].seat(label, weight, nowMs)])
  }
  return cuts
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
      for (const cell of span.cells.values()) {
        const name = own.name.seat(cell.name, weightOf(cell), nowMs)
        for (const [cut, label] of cutsOf(cell, instance, own, nowMs))
          for (const { second, share } of shares)
            addTo(rowIn(rows, { second, environment, service, kind: cell.kind, name, cut, label }), cell, share)
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
