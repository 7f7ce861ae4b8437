import { ALERT_BUCKET_SECONDS } from '@weir/api'
import type { Criticality } from '@weir/policy/model'

/** What one gate did in one bucket, summed over its instances: counts of work. */
export interface GateBucket {
  readonly offered: number
  /** Shed and expired. */
  readonly refused: number
  /** Of the refused: what a tenant's published quota does not allow. */
  readonly quotaRefused: number
  /** Ended well in time, without what was ignored. */
  readonly goodput: number
  /** Slots of one process; `null`: not heard. */
  readonly limit: number | null
  readonly oldestAgeMs: number | null
  /** Processes that were heard. */
  readonly instances: number
  /** Empty where nothing was refused. */
  readonly classes: Readonly<Partial<Record<Criticality, { readonly offered: number; readonly refused: number }>>>
}

export interface DependencyBucket {
  readonly retries: number
  /** Retries not made because the budget was empty. */
  readonly budgetExhausted: number
}

export interface TenantBucket {
  readonly accepted: number
  readonly refused: number
}

/** Buckets of one subject, oldest first, the newest last; `null`: nothing was heard in it. */
export type History<B> = readonly (B | null)[]

/** Buckets that fit into so many seconds, rounded up. */
export const bucketsOf = (seconds: number): number => Math.ceil(seconds / ALERT_BUCKET_SECONDS)

/** The long window of a rule, and the short one, which shows that it is still so. In buckets. */
export const windowsOf = (windowSeconds: number): { readonly long: number; readonly short: number } => {
  const long = bucketsOf(windowSeconds)
  return { long, short: Math.ceil(long / 3) }
}

export interface Sum<B> {
  readonly heard: readonly B[]
  readonly seconds: number
}

/** The heard ones of the last `buckets`, before the last `skip`. */
export const last = <B>(history: History<B>, buckets: number, skip = 0): Sum<B> => {
  const end = history.length - skip
  const heard = history.slice(Math.max(0, end - buckets), Math.max(0, end)).filter((bucket) => bucket !== null)
  return { heard, seconds: heard.length * ALERT_BUCKET_SECONDS }
}

export const total = <B>(sum: Sum<B>, of: (bucket: B) => number): number =>
  sum.heard.reduce((all, bucket) => all + of(bucket), 0)

/** Per second. */
export const rate = <B>(sum: Sum<B>, of: (bucket: B) => number): number =>
  sum.seconds === 0 ? 0 : total(sum, of) / sum.seconds
