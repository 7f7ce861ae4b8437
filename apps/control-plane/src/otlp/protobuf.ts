import { Bytes } from './bytes.ts'
import {
  type Attribute,
  type AttributeValue,
  type HistogramPoint,
  MAX_DEPTH,
  Malformed,
  type Metric,
  type MetricData,
  millisOf,
  type NumberPoint,
  type ResourceMetrics,
  type ResourceSpans,
  type Span,
} from './model.ts'

/**
 * The messages of OTLP 1.x that are read, by their public field numbers, straight into the model: nothing is built that is not read. A field that is not
 * here is skipped unread. Lists and maps inside attributes are walked for their depth only.
 */

/** Decodes ExportMetricsServiceRequest. Throws `Malformed`. */
export const decodeMetrics = (body: Uint8Array): ResourceMetrics[] => {
  const b = new Bytes(body)
  const requests: ResourceMetrics[] = []
  for (let field = b.field(b.size); field !== 0; field = b.field(b.size))
    if (field === 1) into(b, requests, resourceMetrics)
    else b.skip()
  return requests
}

/** Decodes ExportTraceServiceRequest. Throws `Malformed`. */
export const decodeTraces = (body: Uint8Array): ResourceSpans[] => {
  const b = new Bytes(body)
  const requests: ResourceSpans[] = []
  for (let field = b.field(b.size); field !== 0; field = b.field(b.size))
    if (field === 1) into(b, requests, resourceSpans)
    else b.skip()
  return requests
}

/** Appends the message that the field holds. */
const into = <T>(b: Bytes, list: T[], read: (b: Bytes, end: number) => T): void => {
  const end = b.message()
  if (end >= 0) list.push(read(b, end))
}

const resourceMetrics = (b: Bytes, end: number): ResourceMetrics => {
  const resource: Attribute[] = []
  const metrics: Metric[] = []
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 1) attributesOf(b, 1, resource, 4)
    else if (field === 2) scope(b, metrics, metric)
    else b.skip()
  return { resource, metrics }
}

const resourceSpans = (b: Bytes, end: number): ResourceSpans => {
  const resource: Attribute[] = []
  const spans: Span[] = []
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 1) attributesOf(b, 1, resource, 4)
    else if (field === 2) scope(b, spans, span)
    else b.skip()
  return { resource, spans }
}

/** ScopeMetrics and ScopeSpans: what they hold is field 2 of both. */
const scope = <T>(b: Bytes, list: T[], read: (b: Bytes, end: number) => T): void => {
  const end = b.message()
  if (end < 0) return
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 2) into(b, list, read)
    else b.skip()
}

/** A message of which only its attributes are read. */
const attributesOf = (b: Bytes, attributes: number, list: Attribute[], depth: number): void => {
  const end = b.message()
  if (end < 0) return
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === attributes) attribute(b, list, depth)
    else b.skip()
}

const metric = (b: Bytes, end: number): Metric => {
  let name = ''
  let data: MetricData = { kind: 'other', count: 0 }
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 1) name = b.text() ?? name
    else if (field === 5) data = gauge(b) ?? data
    else if (field === 7) data = sum(b) ?? data
    else if (field === 9) data = histogram(b) ?? data
    else if (field === 10 || field === 11) data = unread(b) ?? data
    else b.skip()
  return { name, data }
}

const gauge = (b: Bytes): MetricData | null => {
  const end = b.message()
  if (end < 0) return null
  const points: NumberPoint[] = []
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 1) into(b, points, numberPoint)
    else b.skip()
  return { kind: 'gauge', points }
}

const sum = (b: Bytes): MetricData | null => {
  const end = b.message()
  if (end < 0) return null
  const points: NumberPoint[] = []
  let temporality = 0
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 1) into(b, points, numberPoint)
    else if (field === 2) temporality = b.varint() ?? temporality
    else b.skip()
  return { kind: 'sum', temporality, points }
}

const histogram = (b: Bytes): MetricData | null => {
  const end = b.message()
  if (end < 0) return null
  const points: HistogramPoint[] = []
  let temporality = 0
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 1) into(b, points, histogramPoint)
    else if (field === 2) temporality = b.varint() ?? temporality
    else b.skip()
  return { kind: 'histogram', temporality, points }
}

/** Exponential histograms and summaries: how many points there are. */
const unread = (b: Bytes): MetricData | null => {
  const end = b.message()
  if (end < 0) return null
  let count = 0
  for (let field = b.field(end); field !== 0; field = b.field(end)) {
    if (field === 1) count++
    b.skip()
  }
  return { kind: 'other', count }
}

const numberPoint = (b: Bytes, end: number): NumberPoint => {
  const attributes: Attribute[] = []
  let startMs = 0
  let endMs = 0
  let value: number | null = null
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 2) startMs = millisOf(b.fixed64() ?? 0)
    else if (field === 3) endMs = millisOf(b.fixed64() ?? 0)
    else if (field === 4) value = b.double() ?? value
    else if (field === 6) value = b.signedFixed64() ?? value
    else if (field === 7) attribute(b, attributes, 7)
    else b.skip()
  return { attributes, startMs, endMs, value }
}

const histogramPoint = (b: Bytes, end: number): HistogramPoint => {
  const attributes: Attribute[] = []
  let startMs = 0
  let endMs = 0
  let total = 0
  const counts: number[] = []
  const bounds: number[] = []
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 2) startMs = millisOf(b.fixed64() ?? 0)
    else if (field === 3) endMs = millisOf(b.fixed64() ?? 0)
    else if (field === 5) total = b.double() ?? total
    else if (field === 6) b.fixed64s(counts)
    else if (field === 7) b.doubles(bounds)
    else if (field === 9) attribute(b, attributes, 7)
    else b.skip()
  return { attributes, startMs, endMs, sum: total, counts, bounds }
}

const span = (b: Bytes, end: number): Span => {
  const attributes: Attribute[] = []
  let traceId = ''
  let spanId = ''
  let name = ''
  let startMs = 0
  let endMs = 0
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 1) traceId = b.hex() ?? traceId
    else if (field === 2) spanId = b.hex() ?? spanId
    else if (field === 5) name = b.text() ?? name
    else if (field === 7) startMs = millisOf(b.fixed64() ?? 0)
    else if (field === 8) endMs = millisOf(b.fixed64() ?? 0)
    else if (field === 9) attribute(b, attributes, 5)
    else b.skip()
  return { traceId, spanId, name, startMs, endMs, attributes }
}

/** `depth`: how deep the KeyValue lies, the request being 1. */
const attribute = (b: Bytes, list: Attribute[], depth: number): void => {
  const end = b.message()
  if (end < 0) return
  let key = ''
  let value: AttributeValue = null
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 1) key = b.text() ?? key
    else if (field === 2) value = anyValue(b, depth + 1)
    else b.skip()
  list.push({ key, value })
}

const anyValue = (b: Bytes, depth: number): AttributeValue => {
  const end = b.message()
  if (end < 0) return null
  let value: AttributeValue = null
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 1) value = b.text() ?? value
    else if (field === 2) value = bool(b.varint()) ?? value
    else if (field === 3) value = b.varint() ?? value
    else if (field === 4) value = b.double() ?? value
    else if (field === 5) value = values(b, depth + 1)
    else if (field === 6) value = keyValues(b, depth + 1)
    else b.skip()
  return value
}

const bool = (value: number | null): boolean | null => (value === null ? null : value !== 0)

/** A list: nothing here reads it, but it is not to be deeper than it may. */
const values = (b: Bytes, depth: number): null => {
  const end = deeper(b, depth)
  if (end < 0) return null
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 1 && depth < MAX_DEPTH) anyValue(b, depth + 1)
    else if (field === 1) throw tooDeep()
    else b.skip()
  return null
}

/** A map. */
const keyValues = (b: Bytes, depth: number): null => {
  const end = deeper(b, depth)
  if (end < 0) return null
  for (let field = b.field(end); field !== 0; field = b.field(end))
    if (field === 1 && depth + 1 < MAX_DEPTH) attribute(b, [], depth + 1)
    else if (field === 1) throw tooDeep()
    else b.skip()
  return null
}

const deeper = (b: Bytes, depth: number): number => {
  if (depth > MAX_DEPTH) throw tooDeep()
  return b.message()
}

const tooDeep = (): Malformed => new Malformed(`An attribute is nested deeper than ${MAX_DEPTH} messages.`)
