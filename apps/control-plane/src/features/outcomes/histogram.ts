import { DURATION_BOUNDS_S } from '@weir/wire/model'

export const BUCKETS = DURATION_BOUNDS_S.length + 1

/**
 * The value below which the share `q` of a histogram lies, seconds: linear inside its bucket, the last bound for the open one. Counts of many
 * histograms are added before this is asked; percentiles are never averaged. `null`: nothing was counted.
 */
export const percentile = (counts: readonly number[], q: number): number | null => {
  const total = counts.reduce((sum, n) => sum + n, 0)
  if (total <= 0) return null
  const rank = q * total
  let before = 0
  for (const [bucket, n] of counts.entries()) {
    if (n > 0 && before + n >= rank) {
      const lower = bucket === 0 ? 0 : (DURATION_BOUNDS_S[bucket - 1] ?? 0)
      const upper = DURATION_BOUNDS_S[bucket]
      return upper === undefined ? lower : lower + (upper - lower) * ((rank - before) / n)
    }
    before += n
  }
  return DURATION_BOUNDS_S[DURATION_BOUNDS_S.length - 1] ?? null
}

/**
 * Counts in the buckets of `DURATION_BOUNDS_S`. A histogram with other bounds moves each count to the bucket that holds its upper bound: a
 * percentile may rise, never fall. `null`: counts and bounds do not fit, or are no bounds.
 */
export const rebucket = (counts: readonly number[], bounds: readonly number[]): number[] | null => {
  if (counts.length !== bounds.length + 1) return null
  if (bounds.some((bound, i) => !Number.isFinite(bound) || (i > 0 && bound <= (bounds[i - 1] ?? 0)))) return null
  if (bounds.length === DURATION_BOUNDS_S.length && bounds.every((bound, i) => bound === DURATION_BOUNDS_S[i]))
    return [...counts]
  const out = new Array<number>(BUCKETS).fill(0)
  for (const [i, n] of counts.entries()) {
    const upper = bounds[i] ?? Infinity
    const at = DURATION_BOUNDS_S.findIndex((bound) => upper <= bound)
    const bucket = at < 0 ? BUCKETS - 1 : at
    out[bucket] = (out[bucket] ?? 0) + n
  }
  return out
}
