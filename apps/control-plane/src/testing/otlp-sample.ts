import { messageType } from '../otlp/descriptor.ts'

type Scalar = string | number | boolean

/** An attribute list in OTLP's JSON form. */
const attributesJson = (attributes: Readonly<Record<string, Scalar>>): object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueJson(value) }))

const valueJson = (value: Scalar): object => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const nanos = (ms: number): string => `${Math.floor(ms)}${String(Math.round((ms % 1) * 1e6)).padStart(6, '0')}`

export interface SampleWindow {
  readonly resource: Readonly<Record<string, Scalar>>
  readonly startMs: number
  readonly endMs: number
  readonly counters?: readonly (readonly [string, number, Readonly<Record<string, Scalar>>])[]
  readonly gauges?: readonly (readonly [string, number, Readonly<Record<string, Scalar>>])[]
  readonly histograms?: readonly (readonly [
    string,
    { counts: readonly number[]; bounds: readonly number[]; sum: number },
    Readonly<Record<string, Scalar>>,
  ])[]
}

/** One resource's export in OTLP's JSON form, as any sender would make it. */
const resourceMetricsJson = (window: SampleWindow): object => {
  const times = { startTimeUnixNano: nanos(window.startMs), timeUnixNano: nanos(window.endMs) }
  const metrics = [
    ...(window.counters ?? []).map(([name, value, attributes]) => ({
      name,
      sum: {
        aggregationTemporality: 1,
        isMonotonic: true,
        dataPoints: [{ ...times, asInt: String(value), attributes: attributesJson(attributes) }],
      },
    })),
    ...(window.gauges ?? []).map(([name, value, attributes]) => ({
      name,
      gauge: { dataPoints: [{ ...times, asDouble: value, attributes: attributesJson(attributes) }] },
    })),
    ...(window.histograms ?? []).map(([name, { counts, bounds, sum }, attributes]) => ({
      name,
      histogram: {
        aggregationTemporality: 1,
        dataPoints: [
          {
            ...times,
            count: String(counts.reduce((total, n) => total + n, 0)),
            sum,
            bucketCounts: counts.map(String),
            explicitBounds: bounds,
            attributes: attributesJson(attributes),
          },
        ],
      },
    })),
  ]
  return {
    resource: { attributes: attributesJson(window.resource) },
    scopeMetrics: [{ scope: { name: 't' }, metrics }],
  }
}

/** A metrics request of such windows, as an object. */
export const metricsJson = (...windows: readonly SampleWindow[]): object => ({
  resourceMetrics: windows.map(resourceMetricsJson),
})

/** The same request in protobuf. */
/** The last four seconds of a gate of a process that tells lies: of twenty that were offered, two are nowhere. */
export const offBooksJson = (instance: string, gate: string): object => {
  const of = { 'weir.gate': gate, 'weir.class': 'sheddable' }
  const end = Math.floor(Date.now() / 1_000)
  const windows = Array.from({ length: 4 }, (_, i) => ({
    resource: { 'service.instance.id': instance, 'weir.boot': 'b', 'weir.sequence': i },
    startMs: (end - 4 + i) * 1_000,
    endMs: (end - 3 + i) * 1_000,
    counters: [
      ['weir.gate.offered', 20, of],
      ['weir.gate.accepted', 18, of],
      ['weir.gate.completed', 18, of],
    ] as const,
    gauges: [
      ['weir.gate.waiting', 0, { 'weir.gate': gate }],
      ['weir.gate.active', 0, { 'weir.gate': gate }],
      ['weir.gate.limit', 20, { 'weir.gate': gate }],
    ] as const,
  }))
  return metricsJson(...windows)
}

export const metricsProtobuf = (request: object): Uint8Array => {
  const type = messageType('MetricsRequest')
  return type.encode(type.fromObject(request)).finish()
}

/** A trace request in protobuf; ids are hex in its JSON form. */
export const tracesProtobuf = (request: object): Uint8Array => {
  const type = messageType('TraceRequest')
  const bytes = JSON.parse(JSON.stringify(request), (key, value) =>
    key === 'traceId' || key === 'spanId' ? Buffer.from(value as string, 'hex').toString('base64') : value,
  )
  return type.encode(type.fromObject(bytes)).finish()
}
