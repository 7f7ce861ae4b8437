import protobuf from 'protobufjs'

/**
 * The messages and fields of OTLP 1.x that are read, by their public field numbers. A field that is not here is skipped unread.
 * Lists and maps inside attributes stay bytes: their depth is checked, their content is not wanted.
 */
const MESSAGES = {
  AnyValue: {
    stringValue: [1, 'string'],
    boolValue: [2, 'bool'],
    intValue: [3, 'int64'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'bytes'],
    kvlistValue: [6, 'bytes'],
  },
  KeyValue: { key: [1, 'string'], value: [2, 'AnyValue'] },
  Resource: { attributes: [1, 'KeyValue[]'] },
  NumberDataPoint: {
    startTimeUnixNano: [2, 'fixed64'],
    timeUnixNano: [3, 'fixed64'],
    asDouble: [4, 'double'],
    asInt: [6, 'sfixed64'],
    attributes: [7, 'KeyValue[]'],
  },
  HistogramDataPoint: {
    startTimeUnixNano: [2, 'fixed64'],
    timeUnixNano: [3, 'fixed64'],
    sum: [5, 'double'],
    bucketCounts: [6, 'fixed64[]'],
    explicitBounds: [7, 'double[]'],
    attributes: [9, 'KeyValue[]'],
  },
  Gauge: { dataPoints: [1, 'NumberDataPoint[]'] },
  Sum: { dataPoints: [1, 'NumberDataPoint[]'], aggregationTemporality: [2, 'int32'] },
  Histogram: { dataPoints: [1, 'HistogramDataPoint[]'], aggregationTemporality: [2, 'int32'] },
  Unread: { dataPoints: [1, 'bytes[]'] },
  Metric: {
    name: [1, 'string'],
    gauge: [5, 'Gauge'],
    sum: [7, 'Sum'],
    histogram: [9, 'Histogram'],
    exponentialHistogram: [10, 'Unread'],
    summary: [11, 'Unread'],
  },
  ScopeMetrics: { metrics: [2, 'Metric[]'] },
  ResourceMetrics: { resource: [1, 'Resource'], scopeMetrics: [2, 'ScopeMetrics[]'] },
  MetricsRequest: { resourceMetrics: [1, 'ResourceMetrics[]'] },
  Span: {
    traceId: [1, 'bytes'],
    spanId: [2, 'bytes'],
    name: [5, 'string'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, 'KeyValue[]'],
  },
  ScopeSpans: { spans: [2, 'Span[]'] },
  ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, 'ScopeSpans[]'] },
  TraceRequest: { resourceSpans: [1, 'ResourceSpans[]'] },
  PartialSuccess: { rejected: [1, 'int64'], errorMessage: [2, 'string'] },
  Answer: { partialSuccess: [1, 'PartialSuccess'] },
  /** google.rpc.Status: the body of every error. */
  Status: { code: [1, 'int32'], message: [2, 'string'] },
} as const satisfies Record<string, Record<string, readonly [number, string]>>

/** Members of a oneof: absent is not the same as zero. */
const ONEOF: Partial<Record<keyof typeof MESSAGES, readonly string[]>> = {
  AnyValue: Object.keys(MESSAGES.AnyValue),
  NumberDataPoint: ['asDouble', 'asInt'],
  Metric: ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'],
}

const root = new protobuf.Root()
for (const [name, fields] of Object.entries(MESSAGES)) {
  const type = new protobuf.Type(name)
  for (const [field, [id, kind]] of Object.entries(fields)) {
    const repeated = kind.endsWith('[]')
    type.add(new protobuf.Field(field, id, repeated ? kind.slice(0, -2) : kind, repeated ? 'repeated' : undefined))
  }
  const members = ONEOF[name as keyof typeof MESSAGES]
  if (members !== undefined) type.add(new protobuf.OneOf('case', [...members]))
  root.add(type)
}
root.resolveAll()

/** The compiled type of one message. */
export const messageType = (name: keyof typeof MESSAGES): protobuf.Type => root.lookupType(name)
