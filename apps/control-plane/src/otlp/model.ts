/**
 * What is read of an OTLP request, the same from both encodings. Times are milliseconds since the epoch, fractional.
 * `null` as a value: bytes, a list or a map, which nothing here reads.
 */
export type AttributeValue = string | number | boolean | null

export interface Attribute {
  readonly key: string
  readonly value: AttributeValue
}

export interface NumberPoint {
  readonly attributes: readonly Attribute[]
  /** 0: not said. */
  readonly startMs: number
  readonly endMs: number
  /** `null`: no value in the point. */
  readonly value: number | null
}

export interface HistogramPoint {
  readonly attributes: readonly Attribute[]
  readonly startMs: number
  readonly endMs: number
  readonly sum: number
  readonly counts: readonly number[]
  readonly bounds: readonly number[]
}

/** `other`: an exponential histogram or a summary, of which only the number of points is known. */
export type MetricData =
  | { readonly kind: 'sum'; readonly temporality: number; readonly points: readonly NumberPoint[] }
  | { readonly kind: 'gauge'; readonly points: readonly NumberPoint[] }
  | { readonly kind: 'histogram'; readonly temporality: number; readonly points: readonly HistogramPoint[] }
  | { readonly kind: 'other'; readonly count: number }

export interface Metric {
  readonly name: string
  readonly data: MetricData
}

export interface ResourceMetrics {
  readonly resource: readonly Attribute[]
  readonly metrics: readonly Metric[]
}

export interface Span {
  /** Hex, 32 and 16 digits. */
  readonly traceId: string
  readonly spanId: string
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly attributes: readonly Attribute[]
}

export interface ResourceSpans {
  readonly resource: readonly Attribute[]
  readonly spans: readonly Span[]
}

/** Nanoseconds as milliseconds, to the microsecond: a double holds no more of today's. */
export const millisOf = (nanos: number): number => Math.round(nanos / 1e3) / 1e3

/** AggregationTemporality of OTLP. */
export const DELTA = 1

export type OtlpSignal = 'metrics' | 'traces'
export type OtlpEncoding = 'protobuf' | 'json'

/** A body that is no OTLP request. The message says why, without quoting the body. */
export class Malformed extends Error {}

/**
 * Messages inside messages. A scalar attribute of a data point is the eighth, so nothing that is read lies deeper; resource attributes may hold
 * a list of scalars.
 */
export const MAX_DEPTH = 8

/**
 * Messages of one request, attributes and their values included. What is empty costs a sender two bytes and us a few microseconds: without this bound
 * one body of 4 MiB would hold the process for seconds. A full export of an agent, 5,000 series, has some 80,000.
 */
export const MAX_MESSAGES = 200_000

export const tooMany = (): Malformed => new Malformed(`The body holds more than ${MAX_MESSAGES} messages.`)
