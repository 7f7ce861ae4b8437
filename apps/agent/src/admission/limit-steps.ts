import {
  type Algorithm,
  aimdStep,
  gradient2Step,
  gradientOf,
  type LimitSample,
  limitIsUsed,
  squareRoot,
  vegasStep,
} from '@weir/policy/model'

/** What a window saw. `inFlight` is the average. */
export interface WindowSample extends LimitSample {
  /** Whether the limit was reached, or nearly. */
  readonly reached: boolean
}

/** What the limit becomes after a window: a published formula, or one within another. */
export type LimitStep = (limit: number, baselineMs: number, seen: WindowSample) => number

export type AdaptiveAlgorithm = Exclude<Algorithm, 'fixed'>

/**
 * Gradient2 leaves room for the square root of the limit, 4 at least: with a room of 4 a limit of hundreds would need minutes to move. Vegas makes half
 * of each step: whole ones carry it across its band by chance alone.
 */
export const STEPS: Readonly<Record<AdaptiveAlgorithm, LimitStep>> = {
  aimd: (limit, _baselineMs, seen) => aimdStep(limit, seen),
  gradient2: (limit, baselineMs, seen) => gradient2Step(limit, baselineMs, seen, { queue: squareRoot(limit) }),
  vegas: (limit, baselineMs, seen) => vegasStep(limit, baselineMs, seen, { smoothing: 0.5 }),
}

/** What is left of the limit after a window of overload, at most. */
const BACKOFF = 0.9

/** Only work that used at least half of the limit, met no overload and was as fast as without load can tell that the limit is too low. */
export const mayRise = (limit: number, baselineMs: number, seen: LimitSample): boolean =>
  !seen.dropped && limitIsUsed(limit, seen.inFlight) && gradientOf(baselineMs, seen.rttMs) === 1

/** Part of a rise that is made where nothing reached the limit: room for bursts grows, but chance crests do not carry the limit away. */
const UNREACHED = 0.1

/** What holds for every algorithm: overload lowers the limit, nothing raises it that may not, and what is no number changes nothing. */
export const guarded =
  (step: LimitStep): LimitStep =>
  (limit, baselineMs, seen) => {
    const proposed = step(limit, baselineMs, seen)
    const sane = Number.isFinite(proposed) ? proposed : limit
    const lowered = seen.dropped ? Math.min(sane, limit * BACKOFF) : sane
    if (lowered <= limit) return lowered
    if (!mayRise(limit, baselineMs, seen)) return limit
    return seen.reached ? lowered : limit + (lowered - limit) * UNREACHED
  }

/** Growth by window on the way back. */
const GROWTH = 1.5
/** How near to the former limit the quick way back leads; the rest is left to the algorithm. */
const NEAR = 0.9
/** What is left of the former limit each time that the way back met overload before its end. */
const BELIEF = 0.8

/**
 * The way back after a decline, as the slow start of TCP: until it is near to where the decline began, each window that may rise makes the limit half
 * as large again. Without it a limit of hundreds that collapsed would climb for a minute.
 */
export const recovering = (step: LimitStep): LimitStep => {
  let goal = 0
  let declining = false
  return (limit, baselineMs, seen) => {
    const next = step(limit, baselineMs, seen)
    if (next < limit && !declining) {
      declining = true
      goal = Math.max(limit, goal * BELIEF)
    }
    if (next <= limit) return next
    declining = false
    const near = goal * NEAR
    return seen.reached && limit < near ? Math.max(next, Math.min(near, limit * GROWTH)) : next
  }
}

/** Never below `floor` nor above `ceiling`. */
export const bounded = (limit: number, floor: number, ceiling: number): number =>
  Math.min(ceiling, Math.max(floor, limit))
