import { hash } from 'node:crypto'
import { type HistogramColumn, type Kind, PEAKS, type PeakColumn, SUM_INDEX, SUMS, type SumColumn } from './columns.ts'
import { BUCKETS } from './histogram.ts'

/** Labels of one cell; `null`: the figure is not told by that. */
export interface CellLabels {
  readonly class: string | null
  readonly tenant: string | null
  readonly reason: string | null
  readonly revision: string | null
}

/** Everything that one window says of one gate or dependency and one set of labels. */
export class Cell {
  readonly kind: Kind
  readonly name: string
  readonly labels: CellLabels
  edge = false
  readonly sums = new Float64Array(SUMS.length)
  /** NaN: not heard. */
  readonly peaks = new Float64Array(PEAKS.length).fill(Number.NaN)
  readonly histograms: Partial<Record<HistogramColumn, Float64Array>> = {}

  constructor(kind: Kind, name: string, labels: CellLabels) {
    this.kind = kind
    this.name = name
    this.labels = labels
  }

  add(column: SumColumn, value: number): void {
    const index = SUM_INDEX[column]
    this.sums[index] = (this.sums[index] ?? 0) + value
  }

  peak(column: PeakColumn, value: number): void {
    const index = PEAKS.indexOf(column)
    const known = this.peaks[index] ?? Number.NaN
    this.peaks[index] = Number.isNaN(known) ? value : Math.max(known, value)
  }

  count(column: HistogramColumn, counts: readonly number[]): void {
    const into = this.histograms[column] ?? new Float64Array(BUCKETS)
    this.histograms[column] = into
    for (const [bucket, n] of counts.entries()) into[bucket] = (into[bucket] ?? 0) + n
  }
}

/** Cells of one stretch of time. Milliseconds since the epoch. */
interface Span {
  readonly startMs: number
  readonly endMs: number
  readonly cells: Map<string, Cell>
}

/** What is taken or dropped as a whole: an agent's numbered window, or one point or span of a sender that numbers nothing. */
export interface Window {
  /** 128 bits, hex. Equal for a repeat, and for nothing else. */
  readonly id: string
  readonly environment: string
  readonly service: string
  readonly instance: string
  readonly spans: Span[]
}

const ID_DIGITS = 32

/** Identity by content of the parts; the parts cannot run into each other. */
export const windowId = (parts: readonly (string | number)[]): string =>
  hash('sha256', JSON.stringify(parts), 'hex').slice(0, ID_DIGITS)

/** The cell of these labels in that stretch of time, made where it is not there. */
export const cellOf = (
  window: Window,
  time: { readonly startMs: number; readonly endMs: number },
  kind: Kind,
  name: string,
  labels: CellLabels,
): Cell => {
  let span = window.spans.find((each) => each.startMs === time.startMs && each.endMs === time.endMs)
  if (span === undefined) {
    span = { startMs: time.startMs, endMs: time.endMs, cells: new Map() }
    window.spans.push(span)
  }
  const key = `${kind}\n${name}\n${labels.class}\n${labels.tenant}\n${labels.reason}\n${labels.revision}`
  let cell = span.cells.get(key)
  if (cell === undefined) {
    cell = new Cell(kind, name, labels)
    span.cells.set(key, cell)
  }
  return cell
}
