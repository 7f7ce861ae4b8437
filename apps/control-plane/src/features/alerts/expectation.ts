import { ALERT_BUCKET_SECONDS } from '@weir/api'
import { bucketsOf, type GateBucket, type History, last, rate, type Sum } from './history.ts'
import { LEAST_VOLUME } from './reading.ts'

/** The best of so long ago is what a gate can do. */
export const LOOKBACK_SECONDS = 600
/** A window with this much more demand than now is no example of what can be done with the demand of now. */
const SAME_DEMAND = 1.05
/** Below this nothing can be told, per second. */
const LEAST_GOODPUT = 1

/** What the published policy says of a gate. `null`: nothing was published. */
export interface Published {
  readonly maxWaitMs: number
  /** Most slots of one process: the fixed limit, or the ceiling of an adaptive one. */
  readonly limit: number
  /** Classes that have slots of their own. */
  readonly reserved: readonly string[]
}

/** What a gate did at its best, per second. */
export interface Reference {
  readonly goodput: number
  readonly demand: number
  /** Slots of one process then; 0: not heard. */
  readonly limit: number
}

/** Work that the tenants' quotas do not refuse anyway. */
const demandOf = (bucket: GateBucket): number => bucket.offered - bucket.quotaRefused
export const demand = (sum: Sum<GateBucket>): number => rate(sum, demandOf)
export const goodput = (sum: Sum<GateBucket>): number => rate(sum, (bucket) => bucket.goodput)

/** The window of the last ten minutes, before the present one, with the most goodput of those with no more demand than now. Sums slide: this is asked of every gate in every bucket. */
export const bestBefore = (history: History<GateBucket>, window: number): Reference | null => {
  const seconds = window * ALERT_BUCKET_SECONDS
  const most = demand(last(history, window)) * SAME_DEMAND * seconds
  const oldest = Math.max(0, history.length - bucketsOf(LOOKBACK_SECONDS))
  const sum = { heard: 0, goodput: 0, demand: 0 }
  const slide = (bucket: GateBucket | null | undefined, sign: 1 | -1) => {
    if (bucket == null) return
    sum.heard += sign
    sum.goodput += sign * bucket.goodput
    sum.demand += sign * demandOf(bucket)
  }
  let best: { readonly end: number; readonly goodput: number; readonly demand: number } | null = null
  for (let end = oldest; end < history.length - window; end++) {
    slide(history[end], 1)
    if (end - window >= oldest) slide(history[end - window], -1)
    if (sum.heard < window || sum.demand > most) continue
    if (sum.goodput > (best?.goodput ?? LEAST_GOODPUT * seconds))
      best = { end, goodput: sum.goodput, demand: sum.demand }
  }
  if (best === null) return null
  const limit = limitOf(last(history, window, history.length - 1 - best.end))
  return { goodput: best.goodput / seconds, demand: best.demand / seconds, limit }
}

const limitOf = ({ heard }: Sum<GateBucket>): number => Math.max(0, ...heard.map(({ limit }) => limit ?? 0))

/**
 * Goodput that is to be expected now, per second: what there was at its best, as far as there is so much demand. A limit that was published
 * since then, lower than the one that was in force, predicts less goodput in proportion (Little's law at the same latency).
 */
export const expected = (reference: Reference, demandNow: number, published: Published | null): number => {
  const lowered =
    published === null || reference.limit === 0 ? 1 : Math.min(1, published.limit / Math.max(1, reference.limit))
  return Math.min(reference.goodput * lowered, demandNow)
}

/** Missing share of the expected goodput over the last so many buckets; `null` where there is not enough to tell. */
export const lostShare = (
  history: History<GateBucket>,
  buckets: number,
  reference: Reference | null,
  published: Published | null,
): number | null => {
  const sum = last(history, buckets)
  if (reference === null || sum.heard.length === 0) return null
  const expectation = expected(reference, demand(sum), published)
  if (expectation * buckets * ALERT_BUCKET_SECONDS < LEAST_VOLUME) return null
  return Math.max(0, 1 - goodput(sum) / expectation)
}
