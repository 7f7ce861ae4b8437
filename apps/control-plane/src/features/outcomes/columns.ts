import type { DEPENDENCY_FIGURES, DEPENDENCY_GAUGES, GATE_FIGURES, GATE_GAUGES } from '@weir/api'
import type { MetricName } from '@weir/wire/model'

export type Kind = 'gate' | 'dependency'

/**
 * Additive columns of a row. Counters are counts; `*_integral` is value x seconds, so that the mean of a bucket is the sum over instances at each
 * moment, averaged over time: integral / length of the bucket. `gauge_seconds` is how long instances were heard.
 */
export const SUMS = [
  'offered',
  'accepted',
  'shed',
  'expired',
  'cancelled_waiting',
  'completed',
  'late',
  'failed',
  'cancelled',
  'abandoned',
  'ignored',
  'would_shed',
  'deferred',
  'degraded',
  'calls',
  'attempts',
  'retries',
  'budget_exhausted',
  'fallbacks',
  'limit_integral',
  'active_integral',
  'zombies_integral',
  'waiting_integral',
  'deferring_integral',
  'in_flight_integral',
  'ceiling_integral',
  'breakers_open_integral',
  'budget_left_integral',
  'gauge_seconds',
  'wait_sum',
  'duration_sum',
  'skewed',
] as const
export type SumColumn = (typeof SUMS)[number]

/** Columns of which a bucket keeps the largest. */
export const PEAKS = ['oldest_age_ms', 'level'] as const
export type PeakColumn = (typeof PEAKS)[number]

/** Columns that hold a histogram: counts per bucket of `DURATION_BOUNDS_S`, one more for the open one. */
export const HISTOGRAMS = ['wait_counts', 'duration_counts'] as const
export type HistogramColumn = (typeof HISTOGRAMS)[number]

export const PEAK_INDEX = Object.fromEntries(PEAKS.map((column, index) => [column, index])) as Record<
  PeakColumn,
  number
>
export const SUM_INDEX = Object.fromEntries(SUMS.map((column, index) => [column, index])) as Record<SumColumn, number>

/** What a metric adds to. */
export type MetricUse =
  | { readonly to: 'count'; readonly kind: Kind; readonly column: SumColumn }
  | { readonly to: 'integral'; readonly kind: Kind; readonly column: SumColumn; readonly of: (value: number) => number }
  | { readonly to: 'peak'; readonly kind: Kind; readonly column: PeakColumn; readonly of: (value: number) => number }
  | { readonly to: 'histogram'; readonly kind: Kind; readonly column: HistogramColumn; readonly sum: SumColumn }

const same = (value: number): number => value
const count = (kind: Kind, column: SumColumn): MetricUse => ({ to: 'count', kind, column })
const mean = (kind: Kind, column: SumColumn, of = same): MetricUse => ({ to: 'integral', kind, column, of })
const peak = (column: PeakColumn, of = same): MetricUse => ({ to: 'peak', kind: 'gate', column, of })
const histogram = (kind: Kind, column: HistogramColumn, sum: SumColumn): MetricUse => ({
  to: 'histogram',
  kind,
  column,
  sum,
})

const BREAKER_OPEN = 2

/** `null`: known, taken, and not kept here. */
export const METRIC_USES: Readonly<Record<MetricName, MetricUse | null>> = {
  'weir.gate.offered': count('gate', 'offered'),
  'weir.gate.accepted': count('gate', 'accepted'),
  'weir.gate.shed': count('gate', 'shed'),
  'weir.gate.expired': count('gate', 'expired'),
  'weir.gate.cancelled_waiting': count('gate', 'cancelled_waiting'),
  'weir.gate.completed': count('gate', 'completed'),
  'weir.gate.late': count('gate', 'late'),
  'weir.gate.failed': count('gate', 'failed'),
  'weir.gate.cancelled': count('gate', 'cancelled'),
  'weir.gate.abandoned': count('gate', 'abandoned'),
  'weir.gate.ignored': count('gate', 'ignored'),
  'weir.gate.degraded': count('gate', 'degraded'),
  'weir.gate.deferred': count('gate', 'deferred'),
  'weir.gate.would_shed': count('gate', 'would_shed'),
  'weir.gate.limit': mean('gate', 'limit_integral'),
  'weir.gate.active': mean('gate', 'active_integral'),
  'weir.gate.zombies': mean('gate', 'zombies_integral'),
  'weir.gate.waiting': mean('gate', 'waiting_integral'),
  'weir.gate.deferring': mean('gate', 'deferring_integral'),
  'weir.gate.queue.oldest_age': peak('oldest_age_ms', (seconds) => seconds * 1000),
  'weir.gate.level': peak('level'),
  'weir.gate.queue.wait': histogram('gate', 'wait_counts', 'wait_sum'),
  'weir.gate.duration': histogram('gate', 'duration_counts', 'duration_sum'),
  'weir.dependency.calls': count('dependency', 'calls'),
  'weir.dependency.completed': count('dependency', 'completed'),
  'weir.dependency.late': count('dependency', 'late'),
  'weir.dependency.failed': count('dependency', 'failed'),
  'weir.dependency.cancelled': count('dependency', 'cancelled'),
  'weir.dependency.shed': count('dependency', 'shed'),
  'weir.dependency.attempts': count('dependency', 'attempts'),
  'weir.dependency.retries': count('dependency', 'retries'),
  'weir.dependency.budget_exhausted': count('dependency', 'budget_exhausted'),
  'weir.dependency.fallbacks': count('dependency', 'fallbacks'),
  'weir.dependency.fallbacks_failed': null,
  'weir.dependency.would_shed': null,
  'weir.dependency.stale': null,
  'weir.dependency.lost': null,
  'weir.dependency.zombies': null,
  'weir.dependency.hedges': null,
  'weir.dependency.ejections': null,
  'weir.dependency.ejected': null,
  'weir.dependency.in_flight': mean('dependency', 'in_flight_integral'),
  'weir.dependency.ceiling': mean('dependency', 'ceiling_integral'),
  'weir.dependency.breaker': mean('dependency', 'breakers_open_integral', (state) => (state === BREAKER_OPEN ? 1 : 0)),
  'weir.dependency.budget_left': mean('dependency', 'budget_left_integral'),
  'weir.dependency.duration': histogram('dependency', 'duration_counts', 'duration_sum'),
  'weir.consumer.expired': null,
  'weir.consumer.would_expire': null,
  'weir.consumer.left': null,
  'weir.consumer.lag': null,
  'weir.consumer.in_hand': null,
  'weir.consumer.running': null,
  'weir.consumer.paused': null,
  'weir.telemetry.dropped': null,
  'weir.telemetry.spans_dropped': null,
}

/** The API's word of every additive figure. */
export const GATE_FIGURE_COLUMNS: Readonly<Record<(typeof GATE_FIGURES)[number], SumColumn>> = {
  offered: 'offered',
  accepted: 'accepted',
  shed: 'shed',
  expired: 'expired',
  cancelledWaiting: 'cancelled_waiting',
  completed: 'completed',
  late: 'late',
  failed: 'failed',
  cancelled: 'cancelled',
  abandoned: 'abandoned',
  ignored: 'ignored',
  wouldShed: 'would_shed',
  deferred: 'deferred',
  degraded: 'degraded',
}
export const DEPENDENCY_FIGURE_COLUMNS: Readonly<Record<(typeof DEPENDENCY_FIGURES)[number], SumColumn>> = {
  calls: 'calls',
  completed: 'completed',
  late: 'late',
  failed: 'failed',
  cancelled: 'cancelled',
  shed: 'shed',
  attempts: 'attempts',
  retries: 'retries',
  budgetExhausted: 'budget_exhausted',
  fallbacks: 'fallbacks',
}
/** The API's word of every gauge. `budgetLeft` is a share: its mean over instances, not their sum. */
export const GATE_GAUGE_COLUMNS: Readonly<Record<(typeof GATE_GAUGES)[number], SumColumn | PeakColumn>> = {
  limit: 'limit_integral',
  active: 'active_integral',
  zombies: 'zombies_integral',
  waiting: 'waiting_integral',
  deferring: 'deferring_integral',
  oldestAgeMs: 'oldest_age_ms',
  level: 'level',
}
export const DEPENDENCY_GAUGE_COLUMNS: Readonly<Record<(typeof DEPENDENCY_GAUGES)[number], SumColumn>> = {
  inFlight: 'in_flight_integral',
  ceiling: 'ceiling_integral',
  breakersOpen: 'breakers_open_integral',
  budgetLeft: 'budget_left_integral',
}
