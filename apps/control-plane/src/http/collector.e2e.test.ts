import { createServer, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Weir } from '@weir/agent'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { metricsProtobuf, tracesProtobuf } from '../testing/otlp-sample.ts'
import { withKey } from '../testing/telemetry.ts'

/** One request as the exporter `otlphttp` of a Collector makes it. */
interface Request {
  readonly path: string
  readonly body: Uint8Array
}

type Resources = { readonly resourceMetrics?: object[]; readonly resourceSpans?: object[] }

/**
 * What a Collector with `infra/otel-collector/collector.yaml` does to what agents send: takes JSON, gathers the resources of many in one request, and sends
 * it as gzipped protobuf with a key of its own.
 */
class Gathering {
  readonly #server: Server
  readonly #metrics: object[] = []
  readonly #spans: object[] = []

  constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await buffer(request)
      const sent: Resources = JSON.parse(String(body[0] === 0x1f ? gunzipSync(body) : body))
      this.#metrics.push(...(sent.resourceMetrics ?? []))
      this.#spans.push(...(sent.resourceSpans ?? []))
      response.setHeader('content-type', 'application/json').end('{}')
    })
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`
  }

  /** All that was gathered, in requests of so many resources. */
  requests(size: number): Request[] {
    const cut = <T>(list: T[]): T[][] =>
      Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
    return [
      ...cut(this.#metrics).map((resourceMetrics) => ({
        path: '/v1/metrics',
        body: metricsProtobuf({ resourceMetrics }),
      })),
      ...cut(this.#spans).map((resourceSpans) => ({ path: '/v1/traces', body: tracesProtobuf({ resourceSpans }) })),
    ]
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

let weir: TestApp
let ingestKey: string
let collector: Gathering
beforeAll(async () => {
  weir = await startTestApp()
  ingestKey = await withKey(weir, 'prod', 'orders', 'payments')
  collector = new Gathering()
})
afterAll(async () => {
  collector.close()
  await weir.close()
})

const send = ({ path, body }: Request, key = ingestKey) =>
  fetch(new URL(path, weir.url), {
    method: 'POST',
    body: new Uint8Array(gzipSync(body)),
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-protobuf',
      'content-encoding': 'gzip',
      'user-agent': 'OpenTelemetry Collector/0.140.0 (linux/amd64)',
    },
  })
const totals = async (service: string): Promise<Record<string, number>> => {
  const range = { from: new Date(Date.now() - 120_000).toISOString(), to: new Date(Date.now() + 10_000).toISOString() }
  return (await weir.call('GET', `/api/v1/environments/prod/outcomes?${new URLSearchParams({ service, ...range })}`))
    .body.totals
}

test('behind a Collector every unit of two services is counted once, however often and in whatever batches it is sent', async () => {
  const otlpEndpoint = await collector.listen()
  const counted = { orders: { offered: 0, shed: 0, completed: 0 }, payments: { offered: 0, shed: 0, completed: 0 } }
  for (const service of ['orders', 'payments'] as const) {
    const agents = await Promise.all(
      ['one', 'two'].map((instance) =>
        Weir.start({ service, environment: 'prod', instance, otlpEndpoint, snapshotDir: false, mode: 'enforce' }),
      ),
    )
    for (const agent of agents)
      for (let i = 0; i < 100; i++) {
        const held = Array.from({ length: 3 }, () =>
          agent.gate('checkout').tryAcquire({ tenant: `t${i % 4}`, deadlineMs: i % 10 ? 500 : 0 }),
        )
        for (const entry of held) {
          counted[service].offered++
          if (entry.accepted) {
            counted[service].completed++
            entry.success()
          } else counted[service].shed++
        }
      }
    await Promise.all(agents.map((agent) => agent.close()))
  }
  const requests = collector.requests(1_000)
  expect(requests.filter(({ path }) => path === '/v1/metrics')).toHaveLength(1)
  for (const request of requests) expect((await send(request)).status).toBe(200)
  const shown = async () =>
    Object.fromEntries(
      await Promise.all(
        (['orders', 'payments'] as const).map(async (service) => {
          const { offered, expired, completed } = await totals(service)
          return [service, { offered, shed: expired, completed }]
        }),
      ),
    )
  expect(await shown()).toEqual(counted)

  // Its answer was lost: the same again, and once more after the Collector has put its batches together otherwise.
  for (const request of [...requests, ...collector.requests(1), ...collector.requests(3)])
    expect((await send(request)).status).toBe(200)
  expect(await shown()).toEqual(counted)
  const decisions = (await weir.call('GET', '/api/v1/environments/prod/decisions?reason=expired-on-arrival')).body.items
  expect(decisions.length).toBeGreaterThan(0)
})

test('what the Collector’s key does not speak for is refused in partial success, and counted nowhere', async () => {
  const narrow = await withKey(weir, 'narrow', 'orders', 'stock')
  const [request] = collector.requests(100)
  const answer = await send(request as Request, narrow)
  expect(answer.status).toBe(200)
  expect(Buffer.from(await answer.arrayBuffer()).toString()).toContain('does not speak for')
  expect((await totals('payments')).offered).toBe(600)
})
