import type { AlertRule } from '@weir/api'
import { bestBefore, demand, expected, goodput, lostShare, type Published, type Reference } from './expectation.ts'
import { bucketsOf, type GateBucket, type History, last, rate, type Sum, total, windowsOf } from './history.ts'
import { HYSTERESIS, judged, milliseconds, percent, perSecond, type Reading, shareOf } from './reading.ts'

/** One gate at one moment: its buckets up to then, what was published, and what an alert that fires remembers. */
export interface GateView {
  readonly history: History<GateBucket>
  readonly published: Published | null
  readonly remembered: Readonly<Record<string, number>> | null
}

const HIGH = ['critical-plus', 'critical'] as const
/** A queue may be this much older than the policy lets work wait: it is looked at from time to time only. */
const QUEUE_SLACK = 1.5
/** Controlled: at most this much of the expected goodput is missing, and of the high classes is refused. */
const HOLDS_WITHIN = 0.2
const HIGH_WITHIN = 0.05
const CONTROL_WINDOW = bucketsOf(30)

const ofClasses = (names: readonly string[], what: 'offered' | 'refused') => (bucket: GateBucket) =>
  Object.entries(bucket.classes).reduce((sum, [name, counts]) => sum + (names.includes(name) ? counts[what] : 0), 0)

/**
 * Refused share of some classes. What quotas refuse is taken off, since it is not known of which class it was: never too much.
 * `null` where those classes had too little work.
 */
const classShare = (sum: Sum<GateBucket>, names: readonly string[]): number | null => {
  const refused = total(sum, ofClasses(names, 'refused')) - total(sum, ({ quotaRefused }) => quotaRefused)
  return shareOf(Math.max(0, refused), total(sum, ofClasses(names, 'offered')))
}

const refusedShare = (sum: Sum<GateBucket>): number | null =>
  shareOf(
    total(sum, ({ refused }) => refused),
    total(sum, ({ offered }) => offered),
  )

const oldest = ({ heard }: Sum<GateBucket>): number => Math.max(0, ...heard.map(({ oldestAgeMs }) => oldestAgeMs ?? 0))

const queueBound = (published: Published | null, ageMs: number): number =>
  Math.max(ageMs, (published?.maxWaitMs ?? 0) * QUEUE_SLACK)

const figuresOf = (sum: Sum<GateBucket>): Record<string, number> => ({
  offeredPerSecond: rate(sum, ({ offered }) => offered),
  goodputPerSecond: goodput(sum),
  refusedShare: refusedShare(sum) ?? 0,
  highClassRefusedShare: classShare(sum, HIGH) ?? 0,
  oldestAgeMs: oldest(sum),
})

const referenceOf = ({ history, remembered }: GateView, window: number): Reference | null => {
  if (remembered?.referenceGoodput === undefined) return bestBefore(history, window)
  const { referenceGoodput, referenceDemand, referenceLimit } = remembered
  return { goodput: referenceGoodput, demand: referenceDemand ?? 0, limit: referenceLimit ?? 0 }
}

/** Less goodput than there was with no more demand: the fall of goodput while offered holds or rises. */
const fallen = (view: GateView, rule: AlertRule<'collapse'>): Reading => {
  const { long, short } = windowsOf(rule.windowSeconds)
  const reference = referenceOf(view, long)
  const lost = (buckets: number) => lostShare(view.history, buckets, reference, view.published)
  const sum = last(view.history, long)
  const expectedNow = reference === null ? 0 : expected(reference, demand(sum), view.published)
  const recent = lost(short)
  return {
    ...judged(lost(long), recent, rule.fall),
    clear: recent === null || recent < rule.fall / 2,
    figures: {
      ...figuresOf(sum),
      expectedPerSecond: expectedNow,
      referenceGoodput: reference?.goodput ?? 0,
      referenceDemand: reference?.demand ?? 0,
      referenceLimit: reference?.limit ?? 0,
    },
    summary: `Goodput is ${perSecond(goodput(sum))} where ${perSecond(expectedNow)} are to be expected; ${perSecond(rate(sum, ({ offered }) => offered))} are offered.`,
  }
}

export type Control = 'controlled' | 'unknown' | 'goodput-falls' | 'high-classes-shed' | 'queue-grows'

/** Whether what is shed now is shed under control: goodput holds, only low classes are refused, and the queue is as young as the policy says. */
export const controlOf = (view: GateView, ageMs = 1_000): Control => {
  const sum = last(view.history, CONTROL_WINDOW)
  const lost = lostShare(view.history, CONTROL_WINDOW, bestBefore(view.history, CONTROL_WINDOW), view.published)
  if ((lost ?? 0) > HOLDS_WITHIN) return 'goodput-falls'
  if ((classShare(sum, HIGH) ?? 0) > HIGH_WITHIN) return 'high-classes-shed'
  if (oldest(sum) > queueBound(view.published, ageMs)) return 'queue-grows'
  return lost === null ? 'unknown' : 'controlled'
}

const CONTROL_WORDS: Readonly<Record<Control, string>> = {
  controlled: 'Under control: goodput holds, only low classes are refused, the queue is bounded.',
  unknown: 'Only low classes are refused and the queue is bounded; there is nothing yet to compare goodput with.',
  'goodput-falls': 'Not under control: goodput falls.',
  'high-classes-shed': 'Not under control: high classes are refused too.',
  'queue-grows': 'Not under control: the queue is older than the policy allows.',
}

const shedding = (view: GateView, rule: AlertRule<'sustained-shedding'>): Reading => {
  const { long, short } = windowsOf(rule.windowSeconds)
  const sum = last(view.history, long)
  const judgedShare = judged(refusedShare(sum), refusedShare(last(view.history, short)), rule.share)
  // What is not above is not told: whether it is under control need not be known.
  const control = judgedShare.above ? controlOf(view) : 'unknown'
  return {
    ...judgedShare,
    figures: { ...figuresOf(sum), controlled: control === 'controlled' ? 1 : 0 },
    summary: `${percent(judgedShare.value)} of ${perSecond(rate(sum, ({ offered }) => offered))} are refused; goodput is ${perSecond(goodput(sum))}. ${CONTROL_WORDS[control]}`,
  }
}

const classesShed = (
  view: GateView,
  rule: AlertRule<'high-class-shedding' | 'reserve-exhausted'>,
  names: readonly string[],
  summary: (share: string) => string,
): Reading => {
  const { long, short } = windowsOf(rule.windowSeconds)
  const sum = last(view.history, long)
  const judgedShare = judged(classShare(sum, names), classShare(last(view.history, short), names), rule.share)
  return { ...judgedShare, figures: figuresOf(sum), summary: summary(percent(judgedShare.value)) }
}

const queueAge = (view: GateView, rule: AlertRule<'queue-age'>): Reading => {
  const bound = queueBound(view.published, rule.ageMs)
  const newest = view.history.at(-1) ?? null
  const value = newest?.oldestAgeMs ?? 0
  return {
    value,
    threshold: bound,
    above: value > bound,
    clear: value < bound * (1 - HYSTERESIS),
    figures: { ...figuresOf(last(view.history, 1)), maxWaitMs: view.published?.maxWaitMs ?? 0 },
    summary: `The oldest work in the queue has waited ${milliseconds(value)}; up to ${milliseconds(bound)} are to be expected.`,
  }
}

/** Rules about one gate. */
export const GATE_RULES = {
  collapse: fallen,
  'completion-falling': (view: GateView, rule: AlertRule<'completion-falling'>) => fallen(view, rule),
  'high-class-shedding': (view: GateView, rule: AlertRule<'high-class-shedding'>) =>
    classesShed(view, rule, HIGH, (share) => `${share} of the work of the high classes are refused.`),
  'queue-age': queueAge,
  'sustained-shedding': shedding,
  'reserve-exhausted': (view: GateView, rule: AlertRule<'reserve-exhausted'>) =>
    classesShed(
      view,
      rule,
      view.published?.reserved ?? [],
      (share) => `${share} of the work of classes with a reserve are refused: their reserve is used up.`,
    ),
} as const satisfies { readonly [N in GateRuleName]: (view: GateView, rule: AlertRule<N>) => Reading }

export type GateRuleName =
  | 'collapse'
  | 'completion-falling'
  | 'high-class-shedding'
  | 'queue-age'
  | 'sustained-shedding'
  | 'reserve-exhausted'
