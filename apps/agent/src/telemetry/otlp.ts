import {
  ATTRIBUTES,
  DURATION_BOUNDS_S,
  METRICS,
  type MetricAttribute,
  type MetricName,
  RESOURCE,
  SPAN_ATTRIBUTES,
  SPANS,
} from '@weir/wire/model'
import type { FigureAttributes } from '../core/figures.ts'
import type { FinishedSpan } from './spans.ts'
import type { Series } from './window.ts'

export interface Resource {
  /** `null` until known: the key says it too. */
  readonly service: string | null
  readonly environment: string | null
  readonly instance: string
  readonly boot: string
  readonly version: string
}

/** A window that has been sent once and never changes again. Times in milliseconds since the epoch, fractional. */
export interface SealedWindow {
  readonly sequence: number
  readonly startEpochMs: number
  readonly endEpochMs: number
  readonly series: readonly Series[]
}

interface KeyValue {
  key: string
  value: { stringValue: string } | { intValue: string } | { doubleValue: number } | { boolValue: boolean }
}

/** The control plane takes strings of at most this many bytes. */
const MAX_TEXT_BYTES = 256
const DELTA = 1

/** What a store takes for text: well-formed, no NUL, bounded. */
const clip = (given: string): string => {
  const text = given.toWellFormed().replaceAll('\0', '\uFFFD')
  if (text.length * 3 <= MAX_TEXT_BYTES || Buffer.byteLength(text) <= MAX_TEXT_BYTES) return text
  return Buffer.from(text)
    .subarray(0, MAX_TEXT_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
}

const keyValue = (key: string, value: string | number | boolean): KeyValue => {
  if (typeof value === 'string') return { key, value: { stringValue: clip(value) } }
  if (typeof value === 'boolean') return { key, value: { boolValue: value } }
  return { key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }
}

const attributesOf = (attributes: FigureAttributes): KeyValue[] => {
  const list: KeyValue[] = []
  for (const name of Object.keys(attributes) as MetricAttribute[]) {
    const value = attributes[name]
    if (value !== undefined) list.push(keyValue(ATTRIBUTES[name], value))
  }
  return list
}

/** Whole nanoseconds as decimal text: a double cannot hold today's. */
const nanos = (epochMs: number): string => {
  const whole = Math.floor(epochMs)
  return `${whole}${String(Math.floor((epochMs - whole) * 1e6)).padStart(6, '0')}`
}

const resourceOf = (resource: Resource): { attributes: KeyValue[] } => ({
  attributes: [
    ...(resource.service === null ? [] : [keyValue(RESOURCE.service, resource.service)]),
    ...(resource.environment === null ? [] : [keyValue(RESOURCE.environment, resource.environment)]),
    keyValue(RESOURCE.instance, resource.instance),
    keyValue(RESOURCE.figures, 'metrics'),
    keyValue(RESOURCE.boot, resource.boot),
  ],
})

const scopeOf = ({ version }: Resource) => ({ name: '@weir/agent', version })

const INTERNAL = 1
const CLIENT = 3
/** What failed, of a span's outcomes; a refusal is no error of the process. */
const ERROR = { status: { code: 2 } }

/** Spans in OTLP's JSON encoding: ids are hexadecimal. The resource says that its figures are in its metrics, so that none is counted twice. */
export const encodeSpans = (resource: Resource, spans: readonly FinishedSpan[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: resourceOf(resource),
        scopeSpans: [{ scope: scopeOf(resource), spans: spans.map(encodeSpan) }],
      },
    ],
  })

const encodeSpan = (span: FinishedSpan): object => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId === null ? {} : { parentSpanId: span.parentSpanId }),
  name: SPANS[span.kind].name,
  kind: span.kind === 'gate' ? INTERNAL : CLIENT,
  startTimeUnixNano: nanos(span.startEpochMs),
  endTimeUnixNano: nanos(span.endEpochMs),
  attributes: Object.entries(span.attributes).map(([key, value]) => keyValue(key, value)),
  ...(span.attributes[SPAN_ATTRIBUTES.outcome.name] === 'failed' ? ERROR : {}),
})

/** OTLP 1.x in its JSON encoding: 64-bit integers are text. One `resourceMetrics`, delta temporality. */
export const encodeMetrics = (resource: Resource, window: SealedWindow): string => {
  const times = { startTimeUnixNano: nanos(window.startEpochMs), timeUnixNano: nanos(window.endEpochMs) }
  const byName = Map.groupBy(window.series, (series) => series.name)
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: {
          attributes: [...resourceOf(resource).attributes, keyValue(RESOURCE.sequence, window.sequence)],
        },
        scopeMetrics: [
          {
            scope: scopeOf(resource),
            metrics: [...byName].map(([name, series]) => metric(name, series, times)),
          },
        ],
      },
    ],
  })
}

const metric = (name: MetricName, list: readonly Series[], times: object): object => {
  const { kind, unit } = METRICS[name]
  if (kind === 'histogram')
    return {
      name,
      unit,
      histogram: {
        aggregationTemporality: DELTA,
        dataPoints: list.map((series) => {
          const counts = series.counts ?? []
          return {
            ...times,
            attributes: attributesOf(series.attributes),
            count: String(counts.reduce((sum, n) => sum + n, 0)),
            sum: series.value,
            bucketCounts: counts.map(String),
            explicitBounds: DURATION_BOUNDS_S,
          }
        }),
      },
    }
  const dataPoints = list.map((series) => ({
    ...times,
    attributes: attributesOf(series.attributes),
    ...(Number.isSafeInteger(series.value) ? { asInt: String(series.value) } : { asDouble: series.value }),
  }))
  return kind === 'gauge'
    ? { name, unit, gauge: { dataPoints } }
    : { name, unit, sum: { aggregationTemporality: DELTA, isMonotonic: true, dataPoints } }
}
