/**
 * The published limit algorithms as pure steps: what the limit becomes after one sample window, before it is rounded and clamped.
 * State (baselines, windows, guards) belongs to whoever steps. Limits and in-flight are slots, round trips are milliseconds.
 */

/** What a sample window says. `rttMs` is time in the slot, without the wait in the queue; `dropped` = somebody was told "overload". */
export interface LimitSample {
  readonly rttMs: number
  readonly inFlight: number
  readonly dropped: boolean
}

/** Increases are frozen below half of the limit: work that did not use the limit cannot tell that it is too low. */
export const limitIsUsed = (limit: number, inFlight: number): boolean => inFlight * 2 >= limit

/** AIMD as in TCP: x `backoff` on a drop (0.9 as in Netflix concurrency-limits), + 1 while the limit is used. */
export const aimdStep = (limit: number, sample: LimitSample, backoff = 0.9): number => {
  if (sample.dropped) return Math.floor(limit * backoff)
  return limitIsUsed(limit, sample.inFlight) ? limit + 1 : limit
}

/** Whole part of log10, at least 1: how much queueing a limit of this size may show. */
export const log10Root = (limit: number): number => Math.max(1, Math.floor(Math.log10(limit)))

/** Whole part of the square root, at least `least`: room for bursts that grows slower than the limit. */
export const squareRoot = (limit: number, least = 4): number => Math.max(least, Math.floor(Math.sqrt(limit)))

export interface VegasOptions {
  readonly smoothing?: number
  readonly decrease?: (limit: number) => number
}

/**
 * TCP Vegas: queue = limit x (1 - baseline / rtt), and the limit moves so that it stays between alpha = 3 log10 and beta = 6 log10;
 * below log10 it grows by beta at once. `baselineMs` is the round trip without load.
 */
export const vegasStep = (
  limit: number,
  baselineMs: number,
  sample: LimitSample,
  options: VegasOptions = {},
): number => {
  const { smoothing = 1, decrease = (size) => size - log10Root(size) } = options
  const unit = log10Root(limit)
  const queue = Math.ceil(limit * (1 - baselineMs / sample.rttMs))
  const target = (): number => {
    if (sample.dropped || queue > 6 * unit) return decrease(limit)
    if (!limitIsUsed(limit, sample.inFlight)) return limit
    if (queue <= unit) return limit + 6 * unit
    return queue < 3 * unit ? limit + unit : limit
  }
  return limit * (1 - smoothing) + target() * smoothing
}

export interface Gradient2Options {
  readonly smoothing?: number
  /** Slots of queueing that are always allowed: what lets the limit grow. */
  readonly queue?: number
  /** How much slower than the baseline is still healthy. */
  readonly tolerance?: number
}

/** The gradient of Gradient2, 0.5..1: 1 = healthy, less = slower than `tolerance` times the baseline. */
export const gradientOf = (baselineMs: number, rttMs: number, tolerance = 1.5): number =>
  Math.max(0.5, Math.min(1, (tolerance * baselineMs) / rttMs))

/** Gradient2 of Netflix concurrency-limits: limit x gradient + queue, smoothed. It never rises while the gradient is under 1. */
export const gradient2Step = (
  limit: number,
  baselineMs: number,
  sample: LimitSample,
  options: Gradient2Options = {},
): number => {
  const { smoothing = 0.2, queue = 4, tolerance = 1.5 } = options
  const gradient = gradientOf(baselineMs, sample.rttMs, tolerance)
  const next = limit * (1 - smoothing) + (limit * gradient + queue) * smoothing
  const mayRise = gradient === 1 && !sample.dropped && limitIsUsed(limit, sample.inFlight)
  return mayRise ? next : Math.min(limit, next)
}

/** One step of the long exponential average that Gradient2 takes as its baseline: window in samples; falls faster (x 0.95) when it is twice what is seen. */
export const longAverageStep = (averageMs: number, rttMs: number, window = 600): number => {
  const next = averageMs + (rttMs - averageMs) * (2 / (window + 1))
  return next / rttMs > 2 ? next * 0.95 : next
}
