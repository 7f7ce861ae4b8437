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

/** Change of the gauges over the window: what was under way at its beginning was offered before it. */
interface Change {
  readonly waiting: number
  readonly active: number
  readonly deferring: number
}

/** Counters that an account is made of. */
export const COUNTERS = [
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
] as const

/**
 * Where the offered work went, goodput first. The two sums of the contract in one, `accepted` put in:
 * offered = goodput + finished otherwise + late + failed + cancelled + abandoned + shed + expired + deferred + still under way.
 */
export const account = (totals: Figures, { waiting, active, deferring }: Change): Equation => {
  const of = (figure: string): number => totals[figure] ?? 0
  const underWay = waiting + active + deferring
  return equation({ figure: 'offered', label: 'offered', value: of('offered') }, [
    { figure: 'goodput', label: 'goodput', value: goodput(totals) },
    { figure: 'ignored', label: 'done, no success', value: of('ignored') },
    { figure: 'late', label: 'late', value: of('late') },
    { figure: 'failed', label: 'failed', value: of('failed') },
    { figure: 'cancelled', label: 'cancelled', value: of('cancelled') + of('cancelledWaiting') },
    { figure: 'abandoned', label: 'abandoned', value: of('abandoned') },
    { figure: 'shed', label: 'shed', value: of('shed') },
    { figure: 'expired', label: 'expired', value: of('expired') },
    { figure: 'deferred', label: 'deferred', value: of('deferred') },
    { figure: 'underWay', label: underWay < 0 ? 'fewer under way' : 'under way', value: underWay },
  ])
}

/** Goodput: completed without what ended in a way that is no success of ours (`ignored`, a 4xx for one). */
export const goodput = (totals: Figures): number => (totals.completed ?? 0) - (totals.ignored ?? 0)

/** Share of the offered work that was refused or expired. */
export const lossShare = (totals: Figures): number | null => {
  const offered = totals.offered ?? 0
  return offered > 0 ? ((totals.shed ?? 0) + (totals.expired ?? 0)) / offered : null
}
