import { gunzipSync } from 'node:zlib'
import { type SpanContext, trace } from '@opentelemetry/api'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { Weir } from '@weir/agent'
import { afterEach, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { withKey } from '../testing/telemetry.ts'
import { HttpOnlyProxy, type Passed } from '../ws/proxy.testkit.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close()
})

interface ToldSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
}

const spansOf = ({ sent }: Passed): ToldSpan[] => {
  const text = (sent[0] === 0x1f ? gunzipSync(sent) : sent).toString()
  return JSON.parse(text).resourceSpans[0].scopeSpans[0].spans
}
const said = (span: ToldSpan, key: string): unknown =>
  Object.values(span.attributes.find((attribute) => attribute.key === key)?.value ?? {})[0]
const totals = async (weir: TestApp): Promise<Record<string, number>> => {
  const range = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date(Date.now() + 10_000).toISOString() }
  return (await weir.call('GET', `/api/v1/environments/prod/outcomes?${new URLSearchParams(range)}`)).body.totals
}

/** OpenTelemetry in this process; the spans that it was given. */
const openTelemetry = () => {
  const ended: { readonly name: string; readonly parentSpanContext?: SpanContext; spanContext(): SpanContext }[] = []
  const sdk = new NodeSDK({
    autoDetectResources: false,
    instrumentations: [],
    spanProcessors: [
      {
        onStart: () => undefined,
        onEnd: (span) => void ended.push(span),
        forceFlush: async () => undefined,
        shutdown: async () => undefined,
      },
    ],
  })
  sdk.start()
  running.push({
    close: async () => {
      await sdk.shutdown()
      trace.disable()
    },
  })
  return ended
}

test('spans of a real agent are taken, hang together and are counted nowhere', async () => {
  const weir = await startTestApp()
  running.push(weir)
  const proxy = await HttpOnlyProxy.before(weir.url)
  running.push(proxy)
  const key = await withKey(weir, 'prod', 'orders')
  const errors: string[] = []
  const agent = await Weir.start({
    controlPlane: proxy.url.replace('http', 'ws'),
    key,
    instance: 'one',
    snapshotDir: false,
    mode: 'enforce',
    onError: (error, where) => errors.push(`${where}: ${String(error)}`),
  })
  running.push(agent)
  const request = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) }
  const traceparent = `00-${request.traceId}-${request.spanId}-01`
  await agent.gate('checkout').run({ traceparent }, () => agent.dependency('payments').call(async () => 'paid'))
  for (let i = 0; i < 299; i++) {
    const entry = agent.gate('checkout').tryAcquire({ tenant: 'acme', deadlineMs: i % 3 === 0 ? 0 : 1_000 })
    if (entry.accepted) entry.success()
  }
  await agent.close()

  const sent = proxy.passed.filter(({ path }) => path === '/v1/traces')
  expect(sent.map(({ status, answer }) => [status, answer])).toEqual(sent.map(() => [200, '{}']))
  const spans = sent.flatMap(spansOf)
  expect(spans.length).toBeGreaterThan(2)
  expect(spans.length).toBeLessThanOrEqual(30)
  const gate = spans.find(({ traceId, name }) => traceId === request.traceId && name === 'weir.gate')
  const call = spans.find(({ name }) => name === 'weir.dependency')
  expect(gate?.parentSpanId).toBe(request.spanId)
  expect(call).toMatchObject({ traceId: request.traceId, parentSpanId: gate?.spanId })
  expect(spans.map((span) => said(span, 'weir.outcome'))).toContain('expired')
  expect(errors.filter((error) => !error.startsWith('stream:'))).toEqual([])

  await vi.waitFor(async () => expect((await totals(weir)).offered).toBe(300), { timeout: 10_000 })
  const { accepted, expired } = await totals(weir)
  expect([accepted, expired]).toEqual([200, 100])
})

test('beside OpenTelemetry spans hang below its active span, from our own exporter and from its SDK', async () => {
  const ended = openTelemetry()
  const weir = await startTestApp()
  running.push(weir)
  const proxy = await HttpOnlyProxy.before(weir.url)
  running.push(proxy)
  const key = await withKey(weir, 'prod', 'orders')
  const work = async (telemetry: 'own' | 'host'): Promise<SpanContext> => {
    const controlPlane = proxy.url.replace('http', 'ws')
    const agent = await Weir.start({ controlPlane, key, snapshotDir: false, mode: 'enforce', telemetry })
    const context = await trace.getTracer('host').startActiveSpan('GET /', async (span) => {
      await agent.gate('checkout').run({ traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` }, () => 'done')
      span.end()
      return span.spanContext()
    })
    await agent.close()
    return context
  }
  const own = await work('own')
  const [told] = proxy.passed.filter(({ path }) => path === '/v1/traces').flatMap(spansOf)
  expect(told).toMatchObject({ traceId: own.traceId, parentSpanId: own.spanId })
  expect(ended.map(({ name }) => name)).not.toContain('weir.gate')

  const host = await work('host')
  const handed = ended.find(({ name }) => name === 'weir.gate')
  expect(handed?.spanContext().traceId).toBe(host.traceId)
  expect(handed?.parentSpanContext?.spanId).toBe(host.spanId)
})
