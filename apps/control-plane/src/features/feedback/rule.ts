import type { FeedbackPolicy } from '@weir/policy/model'

/** What the rule does: nothing is cut, it cuts, it waits where it is, it gives back, or it waits because nobody says how far the consumers are behind. */
export type Phase = 'whole' | 'cutting' | 'holding' | 'returning' | 'unknown'

/** Where a rule stands after a look. */
export interface RuleState {
  /** Share of the quotas that is in force, 0..1. */
  readonly scale: number
  readonly phase: Phase
  /** As last seen; `null`: not known at that look. */
  readonly lagSeconds: number | null
  /** Looks in a row at which the lag was at `open` or more, at `close` or less. */
  readonly high: number
  readonly low: number
  readonly atMs: number
  /** When the lag was known last. */
  readonly knownAtMs: number
}

/** A change needs so many looks in a row. */
const LOOKS = 2
/** Without a word of any consumer for so long the quotas come back: a topic that nobody consumes any more must not be starved for ever. */
export const FORGOTTEN_MS = 600_000

export const ruleState = (scale: number, nowMs: number): RuleState => ({
  scale,
  phase: scale < 1 ? 'unknown' : 'whole',
  lagSeconds: null,
  high: 0,
  low: 0,
  atMs: nowMs,
  knownAtMs: nowMs,
})

/**
 * One look at the lag: multiplicative decrease, additive increase, and a dead band in between. A lag that falls fast enough to be at `close` within
 * `recoverSeconds`, `(lag - close) / fall per second <= recoverSeconds`, is left to fall: cutting further would only overshoot.
 */
export const look = (before: RuleState, lagSeconds: number | null, rule: FeedbackPolicy, nowMs: number): RuleState => {
  if (lagSeconds === null && nowMs - before.knownAtMs < FORGOTTEN_MS)
    return { ...before, phase: before.scale < 1 ? 'unknown' : 'whole', lagSeconds, high: 0, low: 0, atMs: nowMs }
  const lag = lagSeconds ?? 0
  const high = lag >= rule.lagSeconds.open ? before.high + 1 : 0
  const low = lag <= rule.lagSeconds.close ? before.low + 1 : 0
  const scale = nextScale(before, lag, { high, low }, rule, nowMs)
  return {
    scale,
    phase: phaseOf(before.scale, scale),
    lagSeconds,
    high,
    low,
    atMs: nowMs,
    knownAtMs: lagSeconds === null ? before.knownAtMs : nowMs,
  }
}

const nextScale = (
  before: RuleState,
  lag: number,
  { high, low }: Pick<RuleState, 'high' | 'low'>,
  rule: FeedbackPolicy,
  nowMs: number,
): number => {
  if (high >= LOOKS && !recovers(before, lag, rule, nowMs))
    return Math.max(Math.min(rule.least, before.scale), rounded(before.scale * rule.cut))
  if (low >= LOOKS) return Math.min(1, rounded(before.scale + rule.rise))
  return before.scale
}

const recovers = ({ lagSeconds, atMs }: RuleState, lag: number, rule: FeedbackPolicy, nowMs: number): boolean => {
  if (lagSeconds === null || lag >= lagSeconds) return false
  const fallPerSecond = ((lagSeconds - lag) / (nowMs - atMs)) * 1_000
  return (lag - rule.lagSeconds.close) / fallPerSecond <= rule.recoverSeconds
}

const phaseOf = (before: number, scale: number): Phase => {
  if (scale < before) return 'cutting'
  if (scale > before) return scale < 1 ? 'returning' : 'whole'
  return scale < 1 ? 'holding' : 'whole'
}

/** Four digits: what is shown is what is sent. */
const rounded = (scale: number): number => Math.round(scale * 10_000) / 10_000
