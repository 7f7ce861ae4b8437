import type { Random } from './clock.ts'

/**
 * Exponential, half of it jitter: `d = min(max, 2 min 2^n)`, wait `d/2 .. d`; the n-th failure in a row counts from 0.
 * With 1 s and 30 s: 1-2 s, 2-4 s, .. 15-30 s, so that a fleet does not come back in one wave.
 */
export const backoffMs = (failures: number, minMs: number, maxMs: number, random: Random): number => {
  const whole = Math.min(maxMs, 2 * minMs * 2 ** Math.min(failures, 30))
  return whole / 2 + (whole / 2) * random()
}

/** A wrong key does not get better soon: 30-60 s at first, then up to ten minutes. */
export const MAX_UNAUTHORIZED_MS = 600_000
