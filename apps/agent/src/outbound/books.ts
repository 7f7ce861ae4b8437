import type { DependencyReason, MetricName } from '@weir/wire/model'
import type { FigureAttributes, FigureSink } from '../core/figures.ts'
import { DurationHistogram } from '../core/histogram.ts'

/**
 * Ends of a call, first match first: cancelled (its caller left), failed (after the last attempt), late (well, but `now >= deadline`), completed.
 * A 4xx is finished work: completed or late.
 */
export type CallOutcome = 'cancelled' | 'failed' | 'late' | 'completed'

const COUNTERS = {
  calls: 'weir.dependency.calls',
  completed: 'weir.dependency.completed',
  late: 'weir.dependency.late',
  failed: 'weir.dependency.failed',
  cancelled: 'weir.dependency.cancelled',
  attempts: 'weir.dependency.attempts',
  retries: 'weir.dependency.retries',
  hedges: 'weir.dependency.hedges',
  budgetExhausted: 'weir.dependency.budget_exhausted',
  fallbacks: 'weir.dependency.fallbacks',
  fallbacksFailed: 'weir.dependency.fallbacks_failed',
  lost: 'weir.dependency.lost',
} as const satisfies Record<string, MetricName>
type Counter = keyof typeof COUNTERS

const NAMES = Object.keys(COUNTERS) as Counter[]

const zeros = (): Record<Counter, number> => ({
  calls: 0,
  completed: 0,
  late: 0,
  failed: 0,
  cancelled: 0,
  attempts: 0,
  retries: 0,
  hedges: 0,
  budgetExhausted: 0,
  fallbacks: 0,
  fallbacksFailed: 0,
  lost: 0,
})

/**
 * Exact counts since the last collection. Over any span: calls = completed + late + failed + cancelled + shed + what began before or is not over;
 * attempts = first attempts + retries + hedges sent; fallbacks are a sub-count of shed and failed.
 */
export class Books {
  counts = zeros()
  readonly #attributes: FigureAttributes
  #shed = new Map<DependencyReason, number>()
  #wouldShed = new Map<DependencyReason, number>()
  readonly #durations = new DurationHistogram()
  #latencySumMs = 0
  #latencies = 0

  constructor(dependency: string) {
    this.#attributes = { dependency }
  }

  shed(reason: DependencyReason): void {
    this.#shed.set(reason, (this.#shed.get(reason) ?? 0) + 1)
  }

  wouldShed(reason: DependencyReason): void {
    this.#wouldShed.set(reason, (this.#wouldShed.get(reason) ?? 0) + 1)
  }

  ended(outcome: CallOutcome, durationMs: number): void {
    this.counts[outcome]++
    this.#durations.record(durationMs)
    this.#latencySumMs += durationMs
    this.#latencies++
  }

  /** Mean duration of the calls that ended since the last time, milliseconds; NaN when none did. */
  takeLatencyMs(): number {
    const meanMs = this.#latencySumMs / this.#latencies
    this.#latencySumMs = 0
    this.#latencies = 0
    return meanMs
  }

  collect(sink: FigureSink): void {
    const { counts } = this
    const shed = this.#shed
    const wouldShed = this.#wouldShed
    this.counts = zeros()
    this.#shed = new Map()
    this.#wouldShed = new Map()
    for (const name of NAMES) if (counts[name] > 0) sink.counter(COUNTERS[name], counts[name], this.#attributes)
    for (const [reason, count] of shed) sink.counter('weir.dependency.shed', count, { ...this.#attributes, reason })
    for (const [reason, count] of wouldShed)
      sink.counter('weir.dependency.would_shed', count, { ...this.#attributes, reason })
    this.#durations.collect(sink, 'weir.dependency.duration', this.#attributes)
  }
}
