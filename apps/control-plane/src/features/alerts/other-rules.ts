import type { AlertRule } from '@weir/api'
import {
  type DependencyBucket,
  type History,
  last,
  rate,
  type Sum,
  type TenantBucket,
  total,
  windowsOf,
} from './history.ts'
import { HYSTERESIS, judged, percent, perSecond, type Reading, shareOf } from './reading.ts'

const notMade = (sum: Sum<DependencyBucket>): number | null => {
  const exhausted = total(sum, ({ budgetExhausted }) => budgetExhausted)
  return shareOf(exhausted, exhausted + total(sum, ({ retries }) => retries))
}

/** Retries that were wanted and not made because the budget was empty. */
export const retryBudget = (history: History<DependencyBucket>, rule: AlertRule<'retry-budget-exhausted'>): Reading => {
  const { long, short } = windowsOf(rule.windowSeconds)
  const sum = last(history, long)
  const share = judged(notMade(sum), notMade(last(history, short)), rule.share)
  return {
    ...share,
    figures: {
      retriesPerSecond: rate(sum, ({ retries }) => retries),
      notMadePerSecond: rate(sum, ({ budgetExhausted }) => budgetExhausted),
    },
    summary: `${percent(share.value)} of the retries that were wanted are not made: the budget is used up.`,
  }
}

const refusedOf = (sum: Sum<TenantBucket>): number | null => {
  const refused = total(sum, (bucket) => bucket.refused)
  return shareOf(refused, refused + total(sum, ({ accepted }) => accepted))
}

/** A tenant is refused by its quota while it does not use it: the quota is split where its work is not. */
export const quotaUnused = (
  history: History<TenantBucket>,
  rule: AlertRule<'quota-unused'>,
  quotaPerSecond: number,
): Reading => {
  const { long, short } = windowsOf(rule.windowSeconds)
  const sum = last(history, long)
  const refused = judged(refusedOf(sum), refusedOf(last(history, short)), rule.share)
  const accepted = rate(sum, (bucket) => bucket.accepted)
  const used = quotaPerSecond === 0 ? 1 : accepted / quotaPerSecond
  return {
    value: Math.max(0, 1 - used),
    threshold: 1 - rule.used,
    above: refused.above && used < rule.used,
    clear: refused.clear || used > rule.used + (1 - rule.used) * HYSTERESIS,
    figures: { refusedShare: refused.value, acceptedPerSecond: accepted, quotaPerSecond },
    summary: `${percent(refused.value)} of its work are refused by its quota of ${perSecond(quotaPerSecond)}, of which it uses ${percent(used)}.`,
  }
}

/** Agents of one service; what has been so for as long as the rules say. */
export interface AgentCounts {
  /** Not ended. */
  readonly known: number
  /** Silent. */
  readonly lost: number
  /** Heard, without an answer to the intended revision. */
  readonly unanswered: number
  /** Heard, and refused the intended revision or a part of it. */
  readonly refused: number
  /** Instances whose books do not add up, with the gate, sorted. */
  readonly off: readonly string[]
}

const ofAgents = (many: number, { known }: AgentCounts, allowed: number) => {
  const value = known === 0 ? 0 : many / known
  return { value, threshold: allowed, above: value > allowed, clear: value <= allowed }
}
const agents = (many: number): string => `${many} ${many === 1 ? 'agent' : 'agents'}`

export const agentsStale = (counts: AgentCounts, rule: AlertRule<'agents-stale'>): Reading => ({
  ...ofAgents(counts.lost + counts.unanswered, counts, rule.share),
  figures: { known: counts.known, lost: counts.lost, unanswered: counts.unanswered },
  summary: `Of ${agents(counts.known)} ${counts.lost} are silent and ${counts.unanswered} have not answered the published revision.`,
})

export const revisionRefused = (counts: AgentCounts, rule: AlertRule<'revision-refused'>): Reading => ({
  ...ofAgents(counts.refused, counts, rule.share),
  figures: { known: counts.known, refused: counts.refused },
  summary: `Of ${agents(counts.known)} ${counts.refused} refuse the published revision or a part of it.`,
})

/** Named in a message; the rest is counted. */
const MOST_NAMED = 5

/** Such an instance need not be a known agent: a Collector may have sent for it. */
export const booksOff = (counts: AgentCounts, rule: AlertRule<'books-off'>): Reading => {
  const many = counts.off.length
  const known = Math.max(counts.known, many)
  const named = counts.off.slice(0, MOST_NAMED).join(', ')
  const rest = many > MOST_NAMED ? ` and ${many - MOST_NAMED} more` : ''
  return {
    ...ofAgents(many, { ...counts, known }, rule.share),
    figures: { known, off: many },
    summary: `The books of ${many} of ${known} instances do not add up: ${named}${rest}.`,
  }
}
