import { settled, virtualRuntime } from '@weir/testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ExportedSpan, TestControlPlane } from '../control-plane.testkit.ts'
import type { SampleStart } from '../core/sampling.ts'
import { nodeHttp } from '../http.ts'
import { SpanExporter } from './span-exporter.ts'
import { Spans } from './spans.ts'
import type { Parent } from './trace-context.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

const WALL_0 = 1_700_000_000_000
const start: SampleStart = {
  kind: 'gate',
  name: 'checkout',
  adjustedCount: 12,
  mode: 'enforce',
  criticality: 'critical',
  tenant: 'acme',
  revision: 4,
  limit: 20,
  inFlight: 3,
  waiting: 1,
  edge: true,
  traceparent: null,
  route: null,
}

let plane: TestControlPlane
let runtime: ReturnType<typeof virtualRuntime>
let http: ReturnType<typeof nodeHttp>
let exporter: SpanExporter
let spans: Spans
let active: Parent | null

beforeEach(async () => {
  plane = await TestControlPlane.start()
  runtime = virtualRuntime()
  http = nodeHttp()
  active = null
  const wall = () => WALL_0 + runtime.time.now()
  exporter = new SpanExporter({
    url: `http://127.0.0.1:${plane.port}/v1/traces`,
    key: 'the-key',
    runtime,
    wall,
    http,
    resource: () => ({ service: 'orders', environment: 'test', instance: 'one', boot: 'b1', version: '0.1.0' }),
  })
  spans = new Spans({ runtime, wall, active: () => active, onSpan: (span) => exporter.take(span) })
})
afterEach(async () => {
  http.close()
  await plane.stop()
})

const told = (): ExportedSpan[] =>
  plane.traces.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  )
const attributesOf = (list: readonly { key: string; value: object }[]) =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))
const refused = () => spans.begin(start).end({ outcome: 'shed', reason: 'limit-reached', signal: 'elsewhere' })
const dropped = () => {
  let count = 0
  exporter.collect({
    counter: (name, delta) => {
      if (name === 'weir.telemetry.spans_dropped') count += delta
    },
    gauge: () => undefined,
    histogram: () => undefined,
  })
  return count
}
/** Lets an export of the next five seconds happen. */
const interval = async (attempts: number) => {
  runtime.time.advance(5_000)
  for (let i = 0; i < 200_000 && plane.traceAttempts < attempts; i++) await settled()
  for (let i = 0; i < 200; i++) await settled()
}

describe('a sampled span', () => {
  it('says what decided, for how many it stands, and whose figures are read elsewhere', async () => {
    const sample = spans.begin(start)
    runtime.time.advance(30)
    sample.started()
    runtime.time.advance(70)
    sample.end({ outcome: 'completed' })
    sample.end({ outcome: 'failed' })
    await exporter.close(1_000)
    expect(told()).toHaveLength(1)
    const [span] = told()
    expect(span).toMatchObject({
      name: 'weir.gate',
      kind: 1,
      startTimeUnixNano: `${WALL_0}000000`,
      endTimeUnixNano: `${WALL_0 + 100}000000`,
    })
    expect(attributesOf(span?.attributes ?? [])).toEqual({
      'weir.gate': 'checkout',
      'weir.edge': true,
      'weir.outcome': 'completed',
      'weir.adjusted_count': '12',
      'weir.mode': 'enforce',
      'weir.class': 'critical',
      'weir.tenant': 'acme',
      'weir.revision': '4',
      'weir.queue_wait': 0.03,
      'weir.limit': '20',
      'weir.in_flight': '3',
      'weir.waiting': '1',
    })
    expect(attributesOf(plane.traces[0]?.resourceSpans[0]?.resource.attributes ?? [])).toMatchObject({
      'service.name': 'orders',
      'weir.figures': 'metrics',
    })
  })

  it('of a refusal says why, and that it never started', async () => {
    refused()
    await exporter.close(1_000)
    const attributes = attributesOf(told()[0]?.attributes ?? [])
    expect(attributes).toMatchObject({ 'weir.reason': 'limit-reached', 'weir.signal': 'elsewhere' })
    expect(attributes).not.toHaveProperty('weir.queue_wait')
  })

  it('is a child of the span that is active in the host, else of the request, else a root', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(16))
    const traceparent = `00-${'1'.repeat(32)}-${b}-01`
    active = { traceId: '2'.repeat(32), spanId: a ?? '' }
    spans.begin({ ...start, traceparent }).end({ outcome: 'completed' })
    active = null
    spans.begin({ ...start, traceparent }).end({ outcome: 'completed' })
    spans.begin({ ...start, traceparent: `00-${'0'.repeat(32)}-${c}-01` }).end({ outcome: 'completed' })
    await exporter.close(1_000)
    expect(told().map(({ traceId, parentSpanId }) => [traceId[0], parentSpanId])).toEqual([
      ['2', a],
      ['1', b],
      [expect.any(String), undefined],
    ])
  })
})

describe('the export of spans', () => {
  it('goes out each five seconds in one request, with the key', async () => {
    exporter.start()
    refused()
    refused()
    await interval(1)
    expect(told()).toHaveLength(2)
    await interval(1)
    expect(plane.traceAttempts).toBe(1)
  })

  it('keeps what could not be sent, up to a bound, and counts what it drops', async () => {
    plane.tracesStatus = 503
    exporter.start()
    refused()
    await interval(1)
    expect(runtime.errors).toHaveLength(1)
    for (let i = 0; i < 1_100; i++) refused()
    expect(dropped()).toBe(77)
    plane.tracesStatus = 200
    await exporter.close(5_000)
    expect(told()).toHaveLength(1_024)
    expect(dropped()).toBe(0)
  })

  it('gives up what will never be taken, and counts it', async () => {
    plane.tracesStatus = 400
    refused()
    await exporter.close(1_000)
    expect([dropped(), runtime.errors.length]).toEqual([1, 1])
  })

  it('waits long where the endpoint takes no traces, and leaves no timer', async () => {
    plane.tracesStatus = 404
    exporter.start()
    for (let i = 0; i < 5; i++) {
      refused()
      await interval(1)
    }
    expect([plane.traceAttempts, runtime.errors.length]).toEqual([1, 1])
    plane.tracesStatus = 200
    await exporter.close(1_000)
    expect(told()).toHaveLength(5)
    expect(runtime.time.pending).toBe(0)
  })
})
