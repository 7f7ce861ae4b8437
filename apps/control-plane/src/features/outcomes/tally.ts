import { HISTOGRAMS, type HistogramColumn, PEAKS, SUM_INDEX, SUMS, type SumColumn } from './columns.ts'
import { BUCKETS } from './histogram.ts'

/** The figures of one series in one stretch of time: every column of a row. */
export interface Tally {
  /** Whether it is a gate where work enters the fleet. */
  edge: boolean
  readonly sums: number[]
  /** NaN: not heard. */
  readonly peaks: number[]
  readonly histograms: Partial<Record<HistogramColumn, number[]>>
}

/** Lists of doubles from the first, so that a copy of one is made in a few nanoseconds and never has to become another kind of list. */
const doubles = (length: number, value: number): number[] => {
  const list = Array.from({ length }, () => 0.5)
  for (let i = 0; i < length; i++) list[i] = value
  return list
}
const NO_SUMS = doubles(SUMS.length, 0)
const NO_PEAKS = doubles(PEAKS.length, Number.NaN)
const NO_COUNTS = doubles(BUCKETS, 0)

export const emptyTally = (): Tally => ({ edge: false, sums: NO_SUMS.slice(), peaks: NO_PEAKS.slice(), histograms: {} })

/** Adds a share of figures to a tally, which it returns. */
export const addTo = <T extends Tally>(tally: T, from: Tally, share: number): T => {
  const { sums, peaks } = tally
  tally.edge ||= from.edge
  for (let i = 0; i < sums.length; i++) {
    const value = from.sums[i] as number
    if (value !== 0) sums[i] = (sums[i] as number) + value * share
  }
  for (let i = 0; i < peaks.length; i++) peakOf(peaks, i, from.peaks[i] as number)
  for (const column of HISTOGRAMS) {
    const counts = from.histograms[column]
    if (counts !== undefined) addCounts(tally, column, counts, share)
  }
  return tally
}

/** The larger of what is kept and `value`; NaN is none. */
export const peakOf = (peaks: number[], index: number, value: number): void => {
  if (!(value <= (peaks[index] as number)) && !Number.isNaN(value)) peaks[index] = value
}

export const addCounts = (tally: Tally, column: HistogramColumn, counts: readonly number[], share: number): void => {
  let into = tally.histograms[column]
  if (into === undefined) {
    into = NO_COUNTS.slice()
    tally.histograms[column] = into
  }
  for (let i = 0; i < BUCKETS; i++) into[i] = (into[i] as number) + (counts[i] as number) * share
}

const WEIGHTS = (['offered', 'calls', 'shed', 'expired'] as const).map((column: SumColumn) => SUM_INDEX[column])

/** How much a series matters where not all can be told apart: the work that it saw. */
export const weightOf = ({ sums }: Tally): number => {
  let weight = 0
  for (const index of WEIGHTS) weight += sums[index] as number
  return weight
}
