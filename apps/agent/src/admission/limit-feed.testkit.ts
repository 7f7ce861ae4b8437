import type { Limit } from './limit.ts'
import { AdaptiveLimit, type AdaptivePolicy, type LimitChange } from './limit-adaptive.ts'
import type { AdaptiveAlgorithm } from './limit-steps.ts'

export const ADAPTIVE: readonly AdaptiveAlgorithm[] = ['aimd', 'gradient2', 'vegas']

export const adaptivePolicy = (algorithm: AdaptiveAlgorithm, parts: Partial<AdaptivePolicy> = {}): AdaptivePolicy => ({
  algorithm,
  floor: 1,
  initial: 20,
  ceiling: 1_000,
  ...parts,
})

export interface Window {
  readonly ms: number
  /** Default: the whole limit. */
  readonly inFlight?: number
  readonly samples?: number
  readonly drops?: number
  readonly waited?: boolean
}

/** Longer than any window that a limit makes itself: all but the last of what is fed comes at its beginning. */
const WINDOW_MS = 1_200

/** A limit with a clock of its own. */
export const feeding = <T extends Limit>(limit: T) => {
  let nowMs = 1_000_000
  const window = ({ ms, inFlight = limit.slots, samples = 20, drops = 0, waited = false }: Window) => {
    const pieces = samples + drops
    if (waited) limit.waited()
    const startMs = nowMs
    for (let i = 1; i <= pieces; i++) {
      nowMs = startMs + (i < pieces ? i / pieces : WINDOW_MS)
      if (i <= drops) limit.drop(inFlight, nowMs)
      else limit.sample(ms, inFlight, nowMs)
    }
    nowMs = startMs + WINDOW_MS
    return limit.slots
  }
  return {
    limit,
    window,
    windows: (count: number, one: Window) => Array.from({ length: count }, () => window(one)),
    pass: (ms: number) => {
      nowMs += ms
    },
    now: () => nowMs,
  }
}

/** An adaptive limit that has learned a round trip of `ms` without changing. */
export const learned = (policy: AdaptivePolicy, ms: number, changes: LimitChange[] = []) => {
  const pressure = { level: 0 }
  const listener = (change: LimitChange) => changes.push(change)
  const fed = feeding(new AdaptiveLimit(policy, policy.initial, pressure, () => 0, listener))
  fed.windows(4, { ms, inFlight: 1 })
  return { ...fed, pressure }
}
