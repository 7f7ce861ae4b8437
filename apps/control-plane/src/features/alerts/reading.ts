/** What a rule says of one subject at one moment. Larger is worse. */
export interface Reading {
  readonly value: number
  readonly threshold: number
  /** Both windows are past the threshold. */
  readonly above: boolean
  /** Well below it: between the two nothing changes. */
  readonly clear: boolean
  readonly figures: Readonly<Record<string, number>>
  readonly summary: string
}

/** An alert ends only this far below what raised it. */
export const HYSTERESIS = 0.2
/** With less work in a window a share says nothing. */
export const LEAST_VOLUME = 10

export const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`
export const perSecond = (rate: number): string => `${rate >= 10 ? Math.round(rate) : Math.round(rate * 10) / 10}/s`
export const milliseconds = (ms: number): string =>
  ms < 2_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`

/** A share of two counts; `null` below the least volume. */
export const shareOf = (part: number, whole: number): number | null => (whole < LEAST_VOLUME ? null : part / whole)

/** Above where both windows are; a window that says nothing is not above. */
export const judged = (
  long: number | null,
  short: number | null,
  threshold: number,
): Pick<Reading, 'value' | 'threshold' | 'above' | 'clear'> => ({
  value: long ?? 0,
  threshold,
  above: long !== null && short !== null && long > threshold && short > threshold,
  clear: short === null || short < threshold * (1 - HYSTERESIS),
})
