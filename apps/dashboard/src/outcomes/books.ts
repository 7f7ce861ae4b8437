import type { Figures } from './sums.ts'

export interface Term {
  readonly figure: string
  readonly label: string
  readonly value: number
}

/** One side of the books: `whole = sum of terms`, apart from `difference`. */
export interface Equation {
  readonly whole: Term
  readonly terms: readonly Term[]
  /** whole - sum of terms, in work. Positive: work that arrived and has no ending booked yet. */
  readonly difference: number
  readonly balanced: boolean
}

/** Counters and gauges are read at different instants of a window, so that the books of a running fleet are off by at most what is in flight. */
const TOLERANCE_SHARE = 0.005

const term = (totals: Figures, figure: string, label: string): Term => ({ figure, label, value: totals[figure] ?? 0 })

const equation = (whole: Term, terms: readonly Term[]): Equation => {
  const difference = whole.value - terms.reduce((sum, part) => sum + part.value, 0)
  return { whole, terms, difference, balanced: Math.abs(difference) <= Math.max(1, whole.value * TOLERANCE_SHARE) }
}

/** Change of a gauge over the window: what was waiting at its beginning was offered before it. */
interface Change {
  readonly waiting: number
  readonly active: number
}

/** offered = accepted + deferred + shed + expired + cancelled while waiting + still waiting (review, 5). */
export const arrivals = (totals: Figures, change: Change): Equation =>
  equation(term(totals, 'offered', 'offered'), [
    term(totals, 'accepted', 'accepted'),
    term(totals, 'deferred', 'deferred'),
    term(totals, 'shed', 'shed'),
    term(totals, 'expired', 'expired'),
    term(totals, 'cancelledWaiting', 'left while waiting'),
    { figure: 'waiting', label: change.waiting < 0 ? 'fewer waiting' : 'more waiting', value: change.waiting },
  ])

/** accepted = completed + late + failed + cancelled + abandoned + still running. */
export const endings = (totals: Figures, change: Change): Equation =>
  equation(term(totals, 'accepted', 'accepted'), [
    term(totals, 'completed', 'completed'),
    term(totals, 'late', 'late'),
    term(totals, 'failed', 'failed'),
    term(totals, 'cancelled', 'cancelled'),
    term(totals, 'abandoned', 'abandoned'),
    { figure: 'active', label: change.active < 0 ? 'fewer running' : 'more running', value: change.active },
  ])

/** Goodput: completed without what ended in a way that is no success of ours (`ignored`, a 4xx for one). */
export const goodput = (totals: Figures): number => (totals.completed ?? 0) - (totals.ignored ?? 0)

/** Share of the offered work that was refused or expired. */
export const lossShare = (totals: Figures): number | null => {
  const offered = totals.offered ?? 0
  return offered > 0 ? ((totals.shed ?? 0) + (totals.expired ?? 0)) / offered : null
}
