import protobuf from 'protobufjs'
import { messageType } from './descriptor.ts'
import {
  type Attribute,
  type AttributeValue,
  type HistogramPoint,
  MAX_DEPTH,
  MAX_MESSAGES,
  Malformed,
  type Metric,
  type MetricData,
  millisOf,
  type NumberPoint,
  type ResourceMetrics,
  type ResourceSpans,
  type Span,
  tooMany,
} from './model.ts'

type Wide = number | { low: number; high: number; unsigned: boolean }
interface RawValue {
  case?: string
  stringValue: string
  boolValue: boolean
  intValue: Wide
  doubleValue: number
  arrayValue: Uint8Array
  kvlistValue: Uint8Array
}
type RawAttributes = { key: string; value: RawValue | null }[]
interface RawPoint {
  case?: string
  startTimeUnixNano: Wide
  timeUnixNano: Wide
  asDouble: number
  asInt: Wide
  attributes: RawAttributes
}
interface RawHistogram extends RawPoint {
  sum: number
  bucketCounts: Wide[]
  explicitBounds: number[]
}
interface RawMetric {
  case?: string
  name: string
  gauge: { dataPoints: RawPoint[] }
  sum: { dataPoints: RawPoint[]; aggregationTemporality: number }
  histogram: { dataPoints: RawHistogram[]; aggregationTemporality: number }
  exponentialHistogram: { dataPoints: unknown[] }
  summary: { dataPoints: unknown[] }
}
interface RawSpan {
  traceId: Uint8Array
  spanId: Uint8Array
  name: string
  startTimeUnixNano: Wide
  endTimeUnixNano: Wide
  attributes: RawAttributes
}
type RawResource = { attributes: RawAttributes } | null
interface RawMetrics {
  resourceMetrics: { resource: RawResource; scopeMetrics: { metrics: RawMetric[] }[] }[]
}
interface RawTraces {
  resourceSpans: { resource: RawResource; scopeSpans: { spans: RawSpan[] }[] }[]
}

const METRICS = messageType('MetricsRequest')
const TRACES = messageType('TraceRequest')

const TWO_32 = 4_294_967_296
const wide = (value: Wide): number =>
  typeof value === 'number' ? value : (value.unsigned ? value.high >>> 0 : value.high) * TWO_32 + (value.low >>> 0)
const millis = (nanos: Wide): number => millisOf(wide(nanos))

/** Decodes ExportMetricsServiceRequest. Throws `Malformed`. */
export const decodeMetrics = (body: Uint8Array): ResourceMetrics[] =>
  guarded(() =>
    (decode(METRICS, body) as unknown as RawMetrics).resourceMetrics.map(({ resource, scopeMetrics }) => ({
      resource: attributes(resource?.attributes ?? [], 4),
      metrics: scopeMetrics.flatMap((scope) => scope.metrics.map(metric)),
    })),
  )

/** Decodes ExportTraceServiceRequest. Throws `Malformed`. */
export const decodeTraces = (body: Uint8Array): ResourceSpans[] =>
  guarded(() =>
    (decode(TRACES, body) as unknown as RawTraces).resourceSpans.map(({ resource, scopeSpans }) => ({
      resource: attributes(resource?.attributes ?? [], 4),
      spans: scopeSpans.flatMap((scope) => scope.spans.map(span)),
    })),
  )

const decode = (type: protobuf.Type, body: Uint8Array): protobuf.Message => {
  if (countMessages(protobuf.Reader.create(body), type, body.length) > MAX_MESSAGES) throw tooMany()
  return type.decode(body)
}

/** Messages that decoding would build up to `end`, those of fields that are not read left out. Stops soon after the bound. */
const countMessages = (reader: protobuf.Reader, type: protobuf.Type, end: number): number => {
  let count = 0
  while (reader.pos < end && count <= MAX_MESSAGES) {
    const tag = reader.uint32()
    const inner = type.fieldsById[tag >>> 3]?.resolvedType
    if ((tag & 7) === 2 && inner instanceof protobuf.Type) {
      const length = reader.uint32()
      count += 1 + countMessages(reader, inner, reader.pos + length)
    } else reader.skipType(tag & 7)
  }
  return count
}

const guarded = <T>(read: () => T): T => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed) throw error
    throw new Malformed('The body is no OTLP message in protobuf.', { cause: error })
  }
}

const metric = (raw: RawMetric): Metric => ({ name: raw.name, data: dataOf(raw) })

const dataOf = (raw: RawMetric): MetricData => {
  switch (raw.case) {
    case 'sum':
      return { kind: 'sum', temporality: raw.sum.aggregationTemporality, points: raw.sum.dataPoints.map(point) }
    case 'gauge':
      return { kind: 'gauge', points: raw.gauge.dataPoints.map(point) }
    case 'histogram':
      return {
        kind: 'histogram',
        temporality: raw.histogram.aggregationTemporality,
        points: raw.histogram.dataPoints.map(histogram),
      }
    case 'exponentialHistogram':
      return { kind: 'other', count: raw.exponentialHistogram.dataPoints.length }
    case 'summary':
      return { kind: 'other', count: raw.summary.dataPoints.length }
    default:
      return { kind: 'other', count: 0 }
  }
}

const numberOf = (raw: RawPoint): number | null => {
  if (raw.case === 'asInt') return wide(raw.asInt)
  return raw.case === 'asDouble' ? raw.asDouble : null
}

const point = (raw: RawPoint): NumberPoint => ({
  attributes: attributes(raw.attributes, 7),
  startMs: millis(raw.startTimeUnixNano),
  endMs: millis(raw.timeUnixNano),
  value: numberOf(raw),
})

const histogram = (raw: RawHistogram): HistogramPoint => ({
  attributes: attributes(raw.attributes, 7),
  startMs: millis(raw.startTimeUnixNano),
  endMs: millis(raw.timeUnixNano),
  sum: raw.sum,
  counts: raw.bucketCounts.map(wide),
  bounds: raw.explicitBounds,
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const span = (raw: RawSpan): Span => ({
  traceId: hex(raw.traceId),
  spanId: hex(raw.spanId),
  name: raw.name,
  startMs: millis(raw.startTimeUnixNano),
  endMs: millis(raw.endTimeUnixNano),
  attributes: attributes(raw.attributes, 5),
})

/** `depth`: how deep a KeyValue of this list lies, the request being 1. */
const attributes = (raw: RawAttributes, depth: number): Attribute[] =>
  raw.map(({ key, value }) => ({ key, value: value === null ? null : scalarOf(value, depth + 1) }))

const scalarOf = (raw: RawValue, depth: number): AttributeValue => {
  switch (raw.case) {
    case 'stringValue':
      return raw.stringValue
    case 'boolValue':
      return raw.boolValue
    case 'intValue':
      return wide(raw.intValue)
    case 'doubleValue':
      return raw.doubleValue
    case 'arrayValue':
      checkDepth(raw.arrayValue, depth + 1, false)
      return null
    case 'kvlistValue':
      checkDepth(raw.kvlistValue, depth + 1, true)
      return null
    default:
      return null
  }
}

/** Walks the values of a list (field 1: AnyValue) or a map (field 1: KeyValue, whose field 2 is the AnyValue). */
const checkDepth = (bytes: Uint8Array, depth: number, map: boolean): void => {
  if (depth > MAX_DEPTH) throw new Malformed(`An attribute is nested deeper than ${MAX_DEPTH} messages.`)
  for (const item of messages(bytes, 1)) {
    const values = map ? messages(item, 2) : [item]
    for (const value of values) {
      const at = depth + (map ? 2 : 1)
      if (at > MAX_DEPTH) throw new Malformed(`An attribute is nested deeper than ${MAX_DEPTH} messages.`)
      for (const list of messages(value, 5)) checkDepth(list, at + 1, false)
      for (const inner of messages(value, 6)) checkDepth(inner, at + 1, true)
    }
  }
}

/** The length-delimited contents of one field. */
const messages = (bytes: Uint8Array, field: number): Uint8Array[] => {
  const reader = protobuf.Reader.create(bytes)
  const found: Uint8Array[] = []
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (tag >>> 3 === field && (tag & 7) === 2) found.push(reader.bytes())
    else reader.skipType(tag & 7)
  }
  return found
}
