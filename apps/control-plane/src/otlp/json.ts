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

type Json = Readonly<Record<string, unknown>>

/** In JSON every message but the outermost may sit in a list, which is a level of its own. */
const MAX_BRACKETS = MAX_DEPTH * 2

/** Decodes ExportMetricsServiceRequest in its JSON encoding (64-bit integers as text, ids in hex). Throws `Malformed`. */
export const decodeMetricsJson = (text: string): ResourceMetrics[] =>
  list(parse(text), 'resourceMetrics').map((resource) => ({
    resource: attributes(record(resource.resource ?? {}), 4),
    metrics: list(resource, 'scopeMetrics').flatMap((scope) => list(scope, 'metrics').map(metric)),
  }))

/** Decodes ExportTraceServiceRequest in its JSON encoding. Throws `Malformed`. */
export const decodeTracesJson = (text: string): ResourceSpans[] =>
  list(parse(text), 'resourceSpans').map((resource) => ({
    resource: attributes(record(resource.resource ?? {}), 4),
    spans: list(resource, 'scopeSpans').flatMap((scope) => list(scope, 'spans').map(span)),
  }))

const parse = (text: string): Json => {
  checkBrackets(text)
  try {
    return record(JSON.parse(text))
  } catch (error) {
    if (error instanceof Malformed) throw error
    throw new Malformed('The body is not valid JSON.', { cause: error })
  }
}

/** Counts brackets outside of strings before anything is built: how deep they lie, and how many messages there are. */
const checkBrackets = (text: string): void => {
  let depth = 0
  let messages = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) {
      i = endOfString(text, i)
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_BRACKETS) throw new Malformed(`The body is nested deeper than ${MAX_DEPTH} messages.`)
      if (code === 0x7b && ++messages > MAX_MESSAGES) throw tooMany()
    } else if (code === 0x7d || code === 0x5d) depth--
  }
}

/** Index of the quote that ends the string which begins at `start`. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}

const record = (value: unknown): Json => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Malformed('The body has something else where a message belongs.')
  return value as Json
}

const list = (holder: Json, key: string): Json[] => {
  const value = holder[key] ?? []
  if (!Array.isArray(value)) throw new Malformed(`${key} is not a list.`)
  return value.map(record)
}

const text = (holder: Json, key: string): string => {
  const value = holder[key] ?? ''
  if (typeof value !== 'string') throw new Malformed(`${key} is not a string.`)
  return value
}

/** A number, or a 64-bit integer as text; doubles may be "NaN" and "Infinity", as in the protobuf JSON mapping. */
const numeric = (value: unknown, key: string): number => {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && /^(-?\d{1,20}(\.\d{1,20})?(e[+-]?\d{1,3})?|NaN|-?Infinity)$/i.test(value))
    return Number(value)
  throw new Malformed(`${key} is not a number.`)
}
const nanosAsMs = (value: unknown, key: string): number => (value === undefined ? 0 : millisOf(numeric(value, key)))

const TEMPORALITY: Readonly<Record<string, number>> = {
  AGGREGATION_TEMPORALITY_UNSPECIFIED: 0,
  AGGREGATION_TEMPORALITY_DELTA: 1,
  AGGREGATION_TEMPORALITY_CUMULATIVE: 2,
}
const temporality = (holder: Json): number => {
  const value = holder.aggregationTemporality ?? 0
  if (typeof value === 'number') return value
  return (typeof value === 'string' ? TEMPORALITY[value] : undefined) ?? 0
}

const metric = (raw: Json): Metric => ({ name: text(raw, 'name'), data: dataOf(raw) })

const dataOf = (raw: Json): MetricData => {
  if (raw.sum !== undefined) {
    const sum = record(raw.sum)
    return { kind: 'sum', temporality: temporality(sum), points: list(sum, 'dataPoints').map(point) }
  }
  if (raw.gauge !== undefined) return { kind: 'gauge', points: list(record(raw.gauge), 'dataPoints').map(point) }
  if (raw.histogram !== undefined) {
    const histogram = record(raw.histogram)
    return {
      kind: 'histogram',
      temporality: temporality(histogram),
      points: list(histogram, 'dataPoints').map(histogramPoint),
    }
  }
  const unread = raw.exponentialHistogram ?? raw.summary
  return { kind: 'other', count: unread === undefined ? 0 : list(record(unread), 'dataPoints').length }
}

const numberOf = (raw: Json): number | null => {
  if (raw.asInt !== undefined) return numeric(raw.asInt, 'asInt')
  return raw.asDouble === undefined ? null : numeric(raw.asDouble, 'asDouble')
}

const point = (raw: Json): NumberPoint => ({
  attributes: attributes(raw, 7),
  startMs: nanosAsMs(raw.startTimeUnixNano, 'startTimeUnixNano'),
  endMs: nanosAsMs(raw.timeUnixNano, 'timeUnixNano'),
  value: numberOf(raw),
})

const numbers = (holder: Json, key: string): number[] => {
  const value = holder[key] ?? []
  if (!Array.isArray(value)) throw new Malformed(`${key} is not a list.`)
  return value.map((item) => numeric(item, key))
}

const histogramPoint = (raw: Json): HistogramPoint => ({
  attributes: attributes(raw, 7),
  startMs: nanosAsMs(raw.startTimeUnixNano, 'startTimeUnixNano'),
  endMs: nanosAsMs(raw.timeUnixNano, 'timeUnixNano'),
  sum: raw.sum === undefined ? 0 : numeric(raw.sum, 'sum'),
  counts: numbers(raw, 'bucketCounts'),
  bounds: numbers(raw, 'explicitBounds'),
})

const id = (holder: Json, key: string, digits: number): string => {
  const value = text(holder, key)
  if (value.length !== digits || !/^[0-9a-f]*$/i.test(value)) throw new Malformed(`${key} is not ${digits} hex digits.`)
  return value.toLowerCase()
}

const span = (raw: Json): Span => ({
  traceId: id(raw, 'traceId', 32),
  spanId: id(raw, 'spanId', 16),
  name: text(raw, 'name'),
  startMs: nanosAsMs(raw.startTimeUnixNano, 'startTimeUnixNano'),
  endMs: nanosAsMs(raw.endTimeUnixNano, 'endTimeUnixNano'),
  attributes: attributes(raw, 5),
})

/** `depth`: how deep a KeyValue of this list lies, the request being 1. */
const attributes = (holder: Json, depth: number): Attribute[] =>
  list(holder, 'attributes').map((raw) => ({
    key: text(raw, 'key'),
    value: raw.value === undefined ? null : scalarOf(record(raw.value), depth + 1),
  }))

const scalarOf = (raw: Json, depth: number): AttributeValue => {
  if (typeof raw.stringValue === 'string' || typeof raw.boolValue === 'boolean')
    return (raw.stringValue ?? raw.boolValue) as string | boolean
  if (raw.intValue !== undefined) return numeric(raw.intValue, 'intValue')
  if (raw.doubleValue !== undefined) return numeric(raw.doubleValue, 'doubleValue')
  if (raw.stringValue !== undefined || raw.boolValue !== undefined)
    throw new Malformed('An attribute has another type than it says.')
  checkDepth(raw, depth)
  return null
}

const checkDepth = (value: Json, depth: number): void => {
  if (depth > MAX_DEPTH) throw new Malformed(`An attribute is nested deeper than ${MAX_DEPTH} messages.`)
  if (value.arrayValue !== undefined)
    for (const item of list(record(value.arrayValue), 'values')) checkDepth(item, depth + 2)
  if (value.kvlistValue !== undefined)
    for (const item of list(record(value.kvlistValue), 'values'))
      if (item.value !== undefined) checkDepth(record(item.value), depth + 3)
}
