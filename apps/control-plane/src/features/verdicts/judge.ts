import type { VerdictSign, VerdictWord } from '@weir/api'

/** Work of one service in one bucket of time, counts. */
export interface Moment {
  readonly second: number
  readonly offered: number
  readonly accepted: number
  readonly goodput: number
  /** Shed and expired. */
  readonly refused: number
  /** Late, failed and abandoned. */
  readonly endedBadly: number
  readonly oldestAgeMs: number
}

/** What a verdict is made of. Moments are ordered by time and have gaps where nothing was heard. */
export interface Evidence {
  /** The present second. */
  readonly now: number
  /** The first second that was looked at: what began before it began nobody knows when. */
  readonly lookedBackTo: number
  /** The last quarter of an hour in buckets of `BUCKET_SECONDS`. */
  readonly moments: readonly Moment[]
  /** Hours before that, in buckets of `seconds`: what the service could do. */
  readonly past: { readonly seconds: number; readonly moments: readonly Moment[] }
  /** Of the two critical classes, over the last minute. */
  readonly high: { readonly offered: number; readonly refused: number }
}

export interface Judgement {
  readonly verdict: VerdictWord
  /** Seconds; `null`: before the moments begin. */
  readonly since: number | null
  readonly heardAt: number | null
  readonly signs: readonly VerdictSign[]
  /** Per second, over the last half minute. */
  readonly offered: number
  readonly goodput: number
  readonly refused: number
  readonly endedBadly: number
  readonly goodputBefore: number | null
  readonly oldestAgeMs: number
}

export const BUCKET_SECONDS = 10
/** The newest buckets that a verdict is about: half a minute, so that one bucket that is not whole yet does not decide. */
const RECENT_BUCKETS = 3
/** The bucket that is being filled tells nothing yet; its figures are on their way for so long. */
const SETTLE_SECONDS = 2
/** Below this share of refused work nobody speaks of shedding. */
const NEXT_TO_NOTHING = 0.01
/** Goodput has fallen below this share of what it was with no more work offered. */
const HOLDS = 0.7
/** Work that is compared with the present is at most this much more than it. */
const NO_MORE = 1.1
/** Less goodput than this per second is no measure of anything. */
const LEAST_RATE = 0.5
const HIGH_REFUSED = 0.05
const BADLY = 0.2
const HOPELESS = 0.5
const AGES_MS = 1_000

interface Sum extends Omit<Moment, 'second'> {
  readonly buckets: number
}

const NOTHING: Sum = { offered: 0, accepted: 0, goodput: 0, refused: 0, endedBadly: 0, oldestAgeMs: 0, buckets: 0 }

const sumOf = (moments: readonly Moment[]): Sum =>
  moments.reduce(
    (sum, moment) => ({
      offered: sum.offered + moment.offered,
      accepted: sum.accepted + moment.accepted,
      goodput: sum.goodput + moment.goodput,
      refused: sum.refused + moment.refused,
      endedBadly: sum.endedBadly + moment.endedBadly,
      oldestAgeMs: Math.max(sum.oldestAgeMs, moment.oldestAgeMs),
      buckets: sum.buckets + 1,
    }),
    NOTHING,
  )

const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0)

/** Healthy, controlled shedding, collapse or silent, by the signs of contract S4. */
export const judge = ({ now, lookedBackTo, moments, past, high }: Evidence): Judgement => {
  const end = Math.floor((now - SETTLE_SECONDS) / BUCKET_SECONDS) * BUCKET_SECONDS
  const from = end - RECENT_BUCKETS * BUCKET_SECONDS
  const recent = sumOf(moments.filter(({ second }) => second >= from && second < end))
  const earlier = moments.filter(({ second }) => second < from)
  const latest = moments.at(-1)
  const heardAt = latest === undefined ? null : latest.second + BUCKET_SECONDS
  const seconds = Math.max(1, recent.buckets) * BUCKET_SECONDS
  const rates = {
    offered: recent.offered / seconds,
    goodput: recent.goodput / seconds,
    refused: recent.refused / seconds,
    endedBadly: recent.endedBadly / seconds,
  }
  if (latest === undefined || latest.second < from)
    return { verdict: 'silent', since: heardAt, heardAt, signs: [], goodputBefore: null, oldestAgeMs: 0, ...rates }

  const goodputBefore = bestBefore(rates.offered, earlier, past)
  const signs = signsOf(recent, rates.goodput, goodputBefore, high, sumOf(earlier.slice(-RECENT_BUCKETS)).oldestAgeMs)
  const verdict = verdictOf(recent, signs)
  const troubled = (moment: Moment): boolean => isTroubled(moment, goodputBefore)
  return {
    verdict,
    since: sinceWhen(
      moments.filter(({ second }) => second < end),
      lookedBackTo,
      verdict === 'healthy',
      troubled,
    ),
    heardAt,
    signs,
    goodputBefore,
    oldestAgeMs: recent.oldestAgeMs,
    ...rates,
  }
}

/** Most goodput per second in any half minute, or any longer stretch of the past, in which no more was offered than now. */
const bestBefore = (offered: number, earlier: readonly Moment[], past: Evidence['past']): number | null => {
  let best: number | null = null
  const weigh = (sum: Pick<Moment, 'offered' | 'goodput'>, seconds: number): void => {
    if (sum.offered / seconds <= offered * NO_MORE) best = Math.max(best ?? 0, sum.goodput / seconds)
  }
  for (let i = RECENT_BUCKETS; i <= earlier.length; i++)
    weigh(sumOf(earlier.slice(i - RECENT_BUCKETS, i)), RECENT_BUCKETS * BUCKET_SECONDS)
  for (const moment of past.moments) weigh(moment, past.seconds)
  return best
}

const signsOf = (
  recent: Sum,
  goodput: number,
  before: number | null,
  high: Evidence['high'],
  ageBefore: number,
): VerdictSign[] => {
  const signs: VerdictSign[] = []
  if (before !== null && before >= LEAST_RATE && goodput < before * HOLDS) signs.push('goodput-falls')
  if (share(high.refused, high.offered) >= HIGH_REFUSED) signs.push('high-classes-refused')
  if (recent.oldestAgeMs >= AGES_MS && recent.oldestAgeMs > 2 * ageBefore) signs.push('queue-ages')
  if (share(recent.endedBadly, recent.accepted) >= BADLY) signs.push('ends-badly')
  return signs
}

const verdictOf = (recent: Sum, signs: readonly VerdictSign[]): VerdictWord => {
  const has = (sign: VerdictSign): boolean => signs.includes(sign)
  const hopeless = share(recent.endedBadly, recent.accepted) >= HOPELESS
  const outOfHand = has('high-classes-refused') && (has('queue-ages') || has('ends-badly'))
  if (has('goodput-falls') || hopeless || outOfHand) return 'collapse'
  return share(recent.refused, recent.offered) >= NEXT_TO_NOTHING ? 'shedding' : 'healthy'
}

/** Less work than then is no less goodput: no more can be done than is offered. */
const isTroubled = (moment: Moment, before: number | null): boolean =>
  share(moment.refused, moment.offered) >= NEXT_TO_NOTHING ||
  share(moment.endedBadly, moment.accepted) >= BADLY ||
  (before !== null &&
    before >= LEAST_RATE &&
    moment.goodput < HOLDS * Math.min(before * BUCKET_SECONDS, moment.offered))

/** Start of the unbroken row of buckets up to now that are troubled, or are not; a single other one does not break it. `null`: before `from`. */
const sinceWhen = (
  moments: readonly Moment[],
  from: number,
  healthy: boolean,
  troubled: (moment: Moment) => boolean,
): number | null => {
  let others = 0
  let since: number | null = null
  for (let i = moments.length - 1; i >= 0; i--) {
    const moment = moments[i]
    if (moment === undefined) continue
    if (troubled(moment) === healthy) {
      others += 1
      if (others > 1) return since
    } else {
      others = 0
      since = moment.second
    }
  }
  return (moments[0]?.second ?? 0) <= from ? null : since
}
