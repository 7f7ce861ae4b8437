import { rowJson } from '../../apps/control-plane/src/adapters/prisma/outcomes-sql.ts'
import { STEPS } from '../../apps/control-plane/src/features/outcomes/outcome-store.ts'
import { type Reading, readMetrics } from '../../apps/control-plane/src/features/outcomes/read-metrics.ts'
import { readSpans } from '../../apps/control-plane/src/features/outcomes/read-spans.ts'
import { coarsen, rollUp } from '../../apps/control-plane/src/features/outcomes/roll-up.ts'
import { ServiceSeats } from '../../apps/control-plane/src/features/outcomes/seats.ts'
import { messageType } from '../../apps/control-plane/src/otlp/descriptor.ts'
import { decodeMetricsJson } from '../../apps/control-plane/src/otlp/json.ts'
import { decodeMetrics, decodeTraces } from '../../apps/control-plane/src/otlp/protobuf.ts'
import { measure } from '../rounds.ts'
import { ENVIRONMENT, Instance, SERVICE } from './corpus.ts'

/** Windows that share one transaction where fifty instances export each second, and some. */
const GROUP = 20
const SPAN_EVERY = 20
const KEY = { environment: ENVIRONMENT, services: [SERVICE], kind: 'agent' } as const

export interface Costs {
  /** CPU of a point or span, decoded, read, rolled up at three resolutions and written down for the database / decoded by protobufjs and dropped. */
  readonly T1_point: number
  readonly T1_span: number
  readonly point_ns: number
  readonly span_ns: number
  readonly bare_point_ns: number
  readonly bare_span_ns: number
  /** In the agent's own encoding, JSON, beside a bare JSON.parse of the same text. */
  readonly json_point: number
  readonly json_point_ns: number
}

/** CPU time of this thread: medians of rounds in turn. Compressed bodies and the database are other people's work. */
export const costs = async (): Promise<Costs> => {
  const instances = Array.from({ length: GROUP }, (_, i) => new Instance(i + 1, SPAN_EVERY))
  for (const instance of instances) await instance.live()
  const nowMs = Date.now()
  const json = instances.map((instance) => instance.metricsJson(nowMs))
  const metrics = json.map(({ protobuf }) => protobuf())
  const spans = instances.map((instance) => instance.spans())
  const [MetricsRequest, TraceRequest] = [messageType('MetricsRequest'), messageType('TraceRequest')]
  const seats = new ServiceSeats()
  const keep = (readings: readonly Reading[]): string => {
    const rows = rollUp(
      readings.flatMap(({ windows }) => windows),
      seats,
      nowMs,
    )
    return JSON.stringify(
      STEPS.flatMap(({ step }) =>
        [...(step === 1 ? rows : coarsen(rows.values(), step)).values()].map((row) => rowJson(row, step)),
      ),
    )
  }
  const took = await measure(
    {
      barePoint: () => void metrics.map((body) => MetricsRequest.decode(body)),
      point: () => void keep(metrics.map((body) => readMetrics(decodeMetrics(body), KEY, nowMs))),
      bareSpan: () => void spans.map(({ body }) => TraceRequest.decode(body)),
      span: () => void keep(spans.map(({ body }) => readSpans(decodeTraces(body), KEY, nowMs))),
      bareJson: () => void json.map(({ text }) => JSON.parse(text)),
      json: () => void keep(json.map(({ text }) => readMetrics(decodeMetricsJson(text), KEY, nowMs))),
    },
    { rounds: 15, calls: 5 },
  )
  const points = json.reduce((sum, { items }) => sum + items, 0)
  const told = spans.reduce((sum, { items }) => sum + items, 0)
  return {
    T1_point: took.point / took.barePoint,
    T1_span: took.span / took.bareSpan,
    point_ns: took.point / points,
    span_ns: took.span / told,
    bare_point_ns: took.barePoint / points,
    bare_span_ns: took.bareSpan / told,
    json_point: took.json / took.bareJson,
    json_point_ns: took.json / points,
  }
}
