import { ATTRIBUTES, DURATION_BOUNDS_S, SPAN_ATTRIBUTES, SPANS } from '@weir/wire/model'
import type { AttributeValue, ResourceSpans, Span } from '../../otlp/model.ts'
import { bookTime } from './book-time.ts'
import type { Kind, SumColumn } from './columns.ts'
import { BUCKETS } from './histogram.ts'
import type { Reading } from './read-metrics.ts'
import { attributeFault, NONE, readResource, type Sender } from './read-resource.ts'
import { Rejections } from './rejections.ts'
import type { TelemetryKey } from './telemetry-key.ts'
import { cellOf, type Window, windowId } from './window.ts'

/** One span for each piece of work at a gate, one for each call of a dependency. Other `weir.*` spans count nothing. */
const SPAN_KINDS: Readonly<Record<string, Kind>> = { [SPANS.gate.name]: 'gate', [SPANS.dependency.name]: 'dependency' }
const OUTCOME = SPAN_ATTRIBUTES.outcome.name
/** 1 where it is not said. */
const ADJUSTED_COUNT = SPAN_ATTRIBUTES.adjustedCount.name
const MAX_ADJUSTED = 1_000_000

/** The figures that a span of each outcome adds to, beside `offered` or `calls`. */
const OUTCOMES: Readonly<Record<Kind, Readonly<Record<string, readonly SumColumn[]>>>> = {
  gate: {
    completed: ['accepted', 'completed'],
    late: ['accepted', 'late'],
    failed: ['accepted', 'failed'],
    cancelled: ['accepted', 'cancelled'],
    abandoned: ['accepted', 'abandoned'],
    shed: ['shed'],
    expired: ['expired'],
    cancelled_waiting: ['cancelled_waiting'],
    deferred: ['deferred'],
  },
  dependency: {
    completed: ['completed'],
    late: ['late'],
    failed: ['failed'],
    cancelled: ['cancelled'],
    shed: ['shed'],
  },
}
const REFUSED = new Set(['shed', 'expired'])

/**
 * Counts spans, where the resource says that its figures are to be read from them; those of everybody else are taken and count nothing,
 * since the same work is in their metrics. Each span counts once, by its ids.
 */
export const readSpans = (request: readonly ResourceSpans[], key: TelemetryKey, receivedAtMs: number): Reading => {
  const rejections = new Rejections()
  const windows = new Map<string, Window>()
  for (const { resource, spans } of request) {
    const sender = readResource(resource, key, rejections, spans.length)
    if (sender === null) continue
    for (const span of spans) {
      const fault = attributeFault(span.attributes)
      const window = fault === null ? windowOf(span, sender, receivedAtMs) : fault
      if (typeof window === 'string') rejections.add(window)
      else if (window !== null) windows.set(window.id, window)
    }
  }
  return { windows: [...windows.values()], rejections, spread: 0 }
}

/** A sentence where the span is refused, `null` where it counts nothing. */
const windowOf = (span: Span, sender: Sender, receivedAtMs: number): Window | string | null => {
  const kind = Object.hasOwn(SPAN_KINDS, span.name) ? SPAN_KINDS[span.name] : undefined
  if (kind === undefined || sender.figures !== 'spans') return null
  const said = new Map(span.attributes.map(({ key, value }) => [key, value]))
  const outcome = String(said.get(OUTCOME) ?? '')
  const columns = Object.hasOwn(OUTCOMES[kind], outcome) ? OUTCOMES[kind][outcome] : undefined
  if (columns === undefined) return `no known ${OUTCOME}`
  const count = said.get(ADJUSTED_COUNT) ?? 1
  // A refusal that is told for its reasons only.
  if (count === 0) return null
  if (typeof count !== 'number' || !(count >= 1 && count <= MAX_ADJUSTED)) return `${ADJUSTED_COUNT} out of range`
  const name = text(said.get(ATTRIBUTES[kind]))
  if (name === null) return `no ${ATTRIBUTES[kind]}`
  const durationMs = span.endMs - span.startMs
  if (!(durationMs >= 0)) return 'times that are no window'
  // Work is counted when it ended, however long it took.
  const time = bookTime(span.endMs, span.endMs, receivedAtMs, false)
  if (time === null) return 'times that are no window'
  const window: Window = {
    id: windowId(['span', sender.environment, span.traceId, span.spanId]),
    environment: sender.environment,
    service: sender.service,
    instance: sender.instance,
    numbered: null,
    stretches: [],
  }
  const gate = kind === 'gate'
  const cell = cellOf(window, time, kind, name, {
    class: gate ? (text(said.get(ATTRIBUTES.class)) ?? NONE) : null,
    tenant: gate ? (text(said.get(ATTRIBUTES.tenant)) ?? NONE) : null,
    reason: REFUSED.has(outcome) ? (text(said.get(ATTRIBUTES.reason)) ?? NONE) : null,
    revision: null,
  })
  if (said.get(ATTRIBUTES.edge) === true) cell.markEdge()
  cell.add(gate ? 'offered' : 'calls', count)
  for (const column of columns) cell.add(column, count)
  if (time.skewed) cell.add('skewed', 1)
  if (outcome === 'completed' || outcome === 'late') {
    cell.count('duration_counts', oneIn(durationMs / 1000, count))
    cell.add('duration_sum', (durationMs / 1000) * count)
  }
  return window
}

const text = (value: AttributeValue | undefined): string | null =>
  value === undefined || value === null || value === '' ? null : String(value)

const oneIn = (seconds: number, count: number): number[] => {
  const counts = new Array<number>(BUCKETS).fill(0)
  const at = DURATION_BOUNDS_S.findIndex((bound) => seconds <= bound)
  counts[at < 0 ? BUCKETS - 1 : at] = count
  return counts
}
