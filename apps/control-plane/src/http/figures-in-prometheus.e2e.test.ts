import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchAt } from '../testing/alerts.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { metricsJson } from '../testing/otlp-sample.ts'
import { type RunningPrometheus, startPrometheus } from '../testing/prometheus.ts'
import { postMetrics, withKey } from '../testing/telemetry.ts'

const CONFIGURATION = fileURLToPath(new URL('../../../../infra/prometheus/prometheus.yml', import.meta.url))
const START = Math.floor(Date.now() / 5_000) * 5 - 240

let engine: RunningPrometheus
let weir: TestApp
beforeAll(async () => {
  engine = await startPrometheus(await readFile(CONFIGURATION, 'utf8'))
  weir = await startTestApp({ environment: { OUTCOMES: `prometheus:${engine.url}`, LOG_LEVEL: 'silent' } })
})
afterAll(async () => {
  await weir.close()
  await engine.end()
})

const labels = { 'weir.gate': 'checkout', 'weir.class': 'sheddable', 'weir.tenant': 'acme' }
const windowOf = (service: string, second: number, shed: number) => ({
  resource: { 'service.name': service, 'service.instance.id': 'i', 'weir.boot': service, 'weir.sequence': second },
  startMs: (START + second) * 1000,
  endMs: (START + second + 1) * 1000,
  counters: [
    ['weir.gate.offered', 20, labels],
    ['weir.gate.completed', 20 - shed, labels],
    ['weir.gate.shed', shed, { ...labels, 'weir.reason': 'limit-reached' }],
  ] as const,
})
const offered = async () => {
  const [from, to] = [START, START + 600].map((second) => new Date(second * 1000).toISOString())
  const asked = `/api/v1/environments/prod/outcomes?from=${from}&to=${to}&groupBy=reason`
  const { status, headers, body } = await weir.call('GET', asked, { as: 'viewer' })
  return { status, again: headers.get('retry-after'), detail: body.detail, offered: body.totals?.offered }
}

test('figures go to the engine and come back: outcomes, verdicts, alerts', async () => {
  const key = await withKey(weir, 'prod', 'orders', 'bank')
  const rules = { rules: { 'sustained-shedding': { share: 0.2, forSeconds: 10, windowSeconds: 5 } } }
  const { headers } = await weir.call('GET', '/api/v1/environments/prod/alert-rules')
  const set = await weir.call('PUT', '/api/v1/environments/prod/alert-rules', {
    body: { document: rules, reason: 'test' },
    headers: { 'if-match': headers.get('etag') ?? '' },
  })
  expect(set.status).toBe(200)
  // The application's own watch looks at the present: orders sheds before, bank now.
  const windows = Array.from({ length: 240 }, (_, second) => [
    windowOf('orders', second, second >= 20 && second < 120 ? 10 : 0),
    windowOf('bank', second, second >= 180 ? 10 : 0),
  ]).flat()
  expect((await postMetrics(weir, key, metricsJson(...windows))).status).toBe(200)
  expect((await postMetrics(weir, key, metricsJson(...windows.slice(100)))).status).toBe(200)
  expect(await offered()).toMatchObject({ status: 200, offered: 9_600 })

  await watchAt(weir).seconds(START + 5, START + 36)
  const alerts = await weir.call('GET', '/api/v1/environments/prod/alerts?service=orders', { as: 'viewer' })
  expect(alerts.body.items).toMatchObject([{ service: 'orders', rule: 'sustained-shedding', value: 0.5 }])
  const verdicts = await weir.call('GET', '/api/v1/environments/prod/verdicts?service=bank', { as: 'viewer' })
  expect(verdicts.body.items).toMatchObject([
    { service: { name: 'bank' }, reason: { label: 'limit-reached', share: 1 }, tenant: { label: 'acme' } },
  ])
  expect((await weir.database.pool.query('SELECT FROM outcome')).rowCount).toBe(0)
})

test('while the engine is away senders and readers are told to come again, and nothing is lost or counted twice', async () => {
  const key = await withKey(weir, 'prod', 'orders', 'bank')
  await engine.stop('SIGKILL')
  const [one, two] = [metricsJson(windowOf('orders', 300, 0)), metricsJson(windowOf('bank', 301, 0))]
  for (const request of [one, two]) {
    const sent = await postMetrics(weir, key, request)
    expect([sent.status, Number(sent.headers.get('retry-after')) > 0]).toEqual([503, true])
  }
  expect(await offered()).toMatchObject({
    status: 503,
    again: '1',
    detail: 'The metrics engine that keeps the figures does not answer: try again in a moment.',
  })
  await engine.start()
  for (const request of [one, two]) expect((await postMetrics(weir, key, request)).status).toBe(200)
  expect(await offered()).toMatchObject({ status: 200, offered: 9_640 })
})
