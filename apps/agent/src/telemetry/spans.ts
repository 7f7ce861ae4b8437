import { SPAN_ATTRIBUTES } from '@weir/wire/model'
import type { Runtime } from '../core/clock.ts'
import type { Sample, SampleEnd, SampleInputs, SampleStart } from '../core/sampling.ts'
import { childOf, type Parent, parentOf, traceparentOf } from './trace-context.ts'

export type SpanValues = Readonly<Record<string, string | number | boolean>>

/** A span that is over. Times in milliseconds since the epoch, fractional. */
export interface FinishedSpan extends Parent {
  readonly kind: SampleStart['kind']
  readonly parentSpanId: string | null
  readonly startEpochMs: number
  readonly endEpochMs: number
  readonly attributes: SpanValues
}

/** All that a span says, by the names of the table. */
export const spanValues = (
  start: SampleStart,
  end: SampleEnd,
  waitMs: number | null,
  inputs: SampleInputs | null,
): SpanValues => {
  const said = {
    [start.kind]: start.name,
    edge: start.edge || null,
    outcome: end.outcome,
    adjustedCount: start.adjustedCount,
    mode: start.mode,
    class: start.criticality,
    tenant: start.tenant,
    reason: end.reason,
    signal: end.signal,
    revision: start.revision,
    queueWait: waitMs === null ? null : waitMs / 1_000,
    limit: start.limit,
    inFlight: start.inFlight,
    waiting: start.waiting,
    attempts: end.attempts,
    route: start.route,
    retryAfter: seconds(end.retryAfterMs),
    level: inputs?.level,
    remaining: seconds(inputs?.remainingMs),
    predictedWait: seconds(inputs?.predictedMs),
    delay: seconds(inputs?.delayMs),
    maxWait: seconds(inputs?.maxWaitMs),
    classUsed: inputs?.classUsed,
    classReserve: inputs?.classReserve,
    keptIdle: inputs?.keptIdle,
    tenantHeld: inputs?.tenantHeld,
    tenantConcurrency: inputs?.tenantConcurrency,
    tenantTokens: inputs?.tenantTokens,
    cost: inputs?.cost,
  } satisfies Partial<Record<keyof typeof SPAN_ATTRIBUTES, unknown>>
  const values: Record<string, string | number | boolean> = {}
  for (const [key, value] of Object.entries(said))
    if (isSaid(value)) values[SPAN_ATTRIBUTES[key as keyof typeof SPAN_ATTRIBUTES].name] = value
  return values
}

const seconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1_000)

/** No figure is NaN where it is not known, and without an end where there is none. */
const isSaid = <T>(value: T | null | undefined): value is T =>
  value !== null && value !== undefined && (typeof value !== 'number' || Number.isFinite(value))

export interface SpansOptions {
  readonly runtime: Runtime
  /** Milliseconds since the epoch. */
  readonly wall: () => number
  /** Of the host, here and now. */
  readonly active: () => Parent | null
  readonly onSpan: (span: FinishedSpan) => void
}

/** Follows sampled work and tells it as a span when it is over. The host's active span is its parent, else the trace context that came with the work. */
export class Spans {
  readonly #o: SpansOptions

  constructor(options: SpansOptions) {
    this.#o = options
  }

  readonly begin = (start: SampleStart): Sample => {
    const { runtime, wall, onSpan } = this.#o
    const arrivedMs = runtime.clock.now()
    const parent = this.#parent(start)
    const own = childOf(parent)
    let waitMs: number | null = null
    let inputs: SampleInputs | null = null
    let over = false
    return {
      traceparent: traceparentOf(own),
      decided: (given) => {
        inputs = given
      },
      started: () => {
        waitMs = runtime.clock.now() - arrivedMs
      },
      end: (end) => {
        if (over) return
        over = true
        const endEpochMs = wall()
        onSpan({
          ...own,
          kind: start.kind,
          parentSpanId: parent?.spanId ?? null,
          startEpochMs: endEpochMs - (runtime.clock.now() - arrivedMs),
          endEpochMs,
          attributes: spanValues(start, end, waitMs, inputs),
        })
      },
    }
  }

  #parent({ traceparent }: SampleStart): Parent | null {
    try {
      return this.#o.active() ?? parentOf(traceparent)
    } catch (error) {
      this.#o.runtime.onError(error, 'telemetry')
      return null
    }
  }
}
