import type { Backoff, Jitter, RetryPolicy } from '@weir/policy/model'
import type { Random } from '../core/clock.ts'

/** Attempts of one call, the first included, whatever a policy says. */
export const MAX_ATTEMPTS = 5

/**
 * Wait before retry `n` (1 = the first retry) without jitter, milliseconds: fixed `initial`, incremental `initial + (n - 1) * step`,
 * exponential `initial * factor^(n - 1)`; never past `maxMs`. Saturates: a power that overflows is the ceiling, never NaN, negative or zero.
 */
export const plainBackoff = (
  kind: Backoff,
  n: number,
  initialMs: number,
  factor: number,
  maxMs: number,
  stepMs = initialMs,
): number => {
  if (initialMs === 0 && kind === 'exponential') return 0
  switch (kind) {
    case 'fixed':
      return Math.min(maxMs, initialMs)
    case 'incremental':
      return Math.min(maxMs, initialMs + (n - 1) * stepMs)
    case 'exponential':
      return Math.min(maxMs, initialMs * factor ** (n - 1))
  }
}

/**
 * Spreads a wait of `plainMs`, so that callers which failed together do not come back together (Brooker, "Exponential backoff and jitter").
 * full: (0, plain]; equal: half + (0, half]; decorrelated: initial + (0, 3 x the previous wait - initial], at most `maxMs`.
 * Draws are taken as 1 - random, so that a wait is never 0 unless the plain one is.
 */
export const jittered = (
  kind: Jitter,
  plainMs: number,
  previousMs: number,
  initialMs: number,
  maxMs: number,
  random: Random,
): number => {
  switch (kind) {
    case 'none':
      return plainMs
    case 'full':
      return plainMs * (1 - random())
    case 'equal':
      return plainMs / 2 + (plainMs / 2) * (1 - random())
    case 'decorrelated':
      return Math.min(maxMs, initialMs + (Math.max(previousMs, initialMs) * 3 - initialMs) * (1 - random()))
  }
}

/** The waits of one call; remembers the last one for decorrelated jitter. */
export class BackoffSequence {
  #n = 0
  #previousMs = 0

  /** Wait before the next retry by `policy`, milliseconds. */
  next(policy: RetryPolicy, random: Random): number {
    const { initialMs, factor, maxMs } = policy
    this.#n++
    const plainMs = plainBackoff(policy.backoff, this.#n, initialMs, factor, maxMs)
    this.#previousMs = jittered(policy.jitter, plainMs, this.#previousMs, initialMs, maxMs, random)
    return this.#previousMs
  }

  /** The next wait is that of the first retry again: what a pushback of the callee means. */
  restart(): void {
    this.#n = 0
    this.#previousMs = 0
  }
}
