import {
  HISTOGRAMS,
  type HistogramColumn,
  PEAKS,
  type PeakColumn,
  SUMS,
  type SumColumn,
} from '../../features/outcomes/columns.ts'
import { BUCKETS } from '../../features/outcomes/histogram.ts'
import type { Figures } from '../../features/outcomes/outcome-store.ts'

export type Gathered = Record<SumColumn | PeakColumn, number | null> & Record<HistogramColumn, number[] | null>

const SUM_NAMES: ReadonlySet<string> = new Set(SUMS)
const PEAK_NAMES: ReadonlySet<string> = new Set(PEAKS)
const HISTOGRAM_NAMES: ReadonlySet<string> = new Set(HISTOGRAMS)

export const noFigures = (): Gathered =>
  Object.fromEntries([...SUMS, ...PEAKS, ...HISTOGRAMS].map((column) => [column, null])) as Gathered

/** Books what the engine says of one figure. What is no figure of ours is left out. */
export const gather = (into: Gathered, figure: string, bucket: string | undefined, value: number): void => {
  if (SUM_NAMES.has(figure)) {
    const column = figure as SumColumn
    into[column] = (into[column] ?? 0) + value
  } else if (PEAK_NAMES.has(figure)) {
    const column = figure as PeakColumn
    into[column] = Math.max(into[column] ?? Number.NEGATIVE_INFINITY, value)
  } else if (HISTOGRAM_NAMES.has(figure)) {
    const column = figure as HistogramColumn
    const counts = into[column] ?? new Array<number>(BUCKETS).fill(0)
    into[column] = counts
    const at = Number(bucket)
    if (at in counts) counts[at] = (counts[at] ?? 0) + value
  }
}

/** Adds the figures of a part of the time to those of the whole. */
export const gatherAll = (into: Gathered, from: Figures): void => {
  for (const column of [...SUMS, ...PEAKS]) {
    const value = from[column]
    if (value !== null) gather(into, column, undefined, value)
  }
  for (const column of HISTOGRAMS)
    for (const [bucket, value] of (from[column] ?? []).entries()) gather(into, column, String(bucket), value)
}
