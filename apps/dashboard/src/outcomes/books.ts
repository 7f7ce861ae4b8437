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

const equation = (whole: Term, terms: readonly Term[]): Equation => {
  const difference = whole.value - terms.reduce((sum, part) => sum + part.value, 0)
  return { whole, terms, difference, balanced: Math.abs(difference) <= Math.max(1, whole.value * TOLERANCE_SHARE) }
}

/** One book: what it is made of, and how. */
export interface Account {
  readonly counters: readonly string[]
  /** Their change over the window: what was under way at its beginning was offered before it. */
  readonly gauges: readonly string[]
  readonly of: (totals: Figures, change: Figures) => Equation
}

const termOf =
  (totals: Figures) =>
  (figure: string, label = figure): Term => ({ figure, label, value: totals[figure] ?? 0 })

const underWayOf = (change: Figures, gauges: readonly string[]): Term => {
  const value = gauges.reduce((sum, gauge) => sum + (change[gauge] ?? 0), 0)
  return { figure: 'underWay', label: value < 0 ? 'fewer under way' : 'under way', value }
}

const WORK_GAUGES = ['waiting', 'active', 'deferring']

/**
 * Where the offered work went, goodput first. The two sums of the contract in one, `accepted` put in:
 * offered = goodput + finished otherwise + late + failed + cancelled + abandoned + shed + expired + deferred + still under way.
 */
export const WORK_ACCOUNT: Account = {
  counters: [
    'offered',
    'completed',
    'ignored',
    'late',
    'failed',
    'cancelled',
    'cancelledWaiting',
    'abandoned',
    'shed',
    'expired',
    'deferred',
  ],
  gauges: WORK_GAUGES,
  of: (totals, change) => {
    const term = termOf(totals)
    return equation(term('offered'), [
      { figure: 'goodput', label: 'goodput', value: goodput(totals) },
      term('ignored', 'done, no success'),
      term('late'),
      term('failed'),
      { ...term('cancelled'), value: (totals.cancelled ?? 0) + (totals.cancelledWaiting ?? 0) },
      term('abandoned'),
      term('shed'),
      term('expired'),
      term('deferred'),
      underWayOf(change, WORK_GAUGES),
    ])
  },
}

const CALL_GAUGES = ['inFlight']

/** Where the calls of a dependency went: calls = completed + late + failed + cancelled + refused here + still under way. Fallbacks are a part of the refused and the failed. */
export const CALL_ACCOUNT: Account = {
  counters: ['calls', 'completed', 'late', 'failed', 'cancelled', 'shed'],
  gauges: CALL_GAUGES,
  of: (totals, change) => {
    const term = termOf(totals)
    return equation(term('calls'), [
      term('completed'),
      term('late'),
      term('failed'),
      term('cancelled'),
      term('shed', 'refused here'),
      underWayOf(change, CALL_GAUGES),
    ])
  },
}

/** Goodput: completed without what ended in a way that is no success of ours (`ignored`, a 4xx for one). */
export const goodput = (totals: Figures): number => (totals.completed ?? 0) - (totals.ignored ?? 0)

/** Share of the offered work that was refused or expired. */
export const lossShare = (totals: Figures): number | null => {
  const offered = totals.offered ?? 0
  return offered > 0 ? ((totals.shed ?? 0) + (totals.expired ?? 0)) / offered : null
}
