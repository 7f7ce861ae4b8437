import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { metricsJson } from '../testing/otlp-sample.ts'
import { postMetrics, withKey } from '../testing/telemetry.ts'

let weir: TestApp
let key: string
beforeAll(async () => {
  weir = await startTestApp({ environment: { WEIR_SELF: 'on' } })
  key = await withKey(weir, 'prod', 'orders')
})
afterAll(() => weir.close())

const OWN = '/api/v1/environments/weir'
const read = async (path: string) => (await weir.call('GET', path, { as: 'viewer' })).body
const totals = async (name: string): Promise<Record<string, number>> => {
  const range = { from: new Date(Date.now() - 600_000).toISOString(), to: new Date(Date.now() + 10_000).toISOString() }
  return (
    (await read(`${OWN}/outcomes?${new URLSearchParams({ service: 'control-plane', name, ...range })}`)).totals ?? {}
  )
}
let sent = 0
const send = () => {
  const now = Date.now()
  const resource = { 'service.instance.id': 'i', 'weir.boot': 'b', 'weir.sequence': sent++ }
  return postMetrics(
    weir,
    key,
    metricsJson({
      resource,
      startMs: now - 1_000,
      endMs: now,
      counters: [['weir.gate.offered', 1, { 'weir.gate': 'g' }]],
    }),
  )
}

test('the control plane is a service of its own: its agent is there, obeys its policy, and what came in is in its figures', async () => {
  await expect
    .poll(async () => (await read(`${OWN}/agents`)).items ?? [])
    .toMatchObject([{ service: 'control-plane', connected: true, appliedRevision: 1, status: 'applied' }])
  const policy = await read(`${OWN}/services/control-plane/policy`)
  expect(policy.published.document).toContain('ingest:')
  const before = (await totals('ingest')).offered ?? 0
  for (let i = 0; i < 7; i++) expect((await send()).status).toBe(200)
  await expect.poll(async () => (await totals('ingest')).completed ?? 0).toBeGreaterThanOrEqual(before + 7)
  const { offered = 0, accepted = 0 } = await totals('queries')
  expect(offered).toBeGreaterThan(0)
  expect(accepted).toBe(offered)
})

test('a sender past its quota is told when to come again, others are unharmed, and why is explained like any refusal', async () => {
  const { items } = (await weir.call('GET', '/api/v1/environments/prod/keys')).body
  const tenant = items[0].id
  const quota = await weir.call('PUT', `${OWN}/services/control-plane/quotas/ingest/${tenant}`, {
    body: { quota: { rate: 0.001, burst: 1 }, reason: 'too much' },
    headers: { 'if-none-match': '*' },
  })
  expect(quota.status).toBe(200)
  await expect.poll(async () => (await send()).status).toBe(429)
  const refused = await send()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(refused.headers.get('weir-signal')).toBe('later')
  await expect
    .poll(async () => (await read(`${OWN}/decisions?reason=tenant-rate`)).items)
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ service: 'control-plane', name: 'ingest', tenant, route: '/v1/metrics' }),
      ]),
    )
})

test('its own figures are there for Prometheus, for those who may read', async () => {
  expect((await weir.call('GET', '/metrics', { as: null })).status).toBe(401)
  const answer = await weir.call('GET', '/metrics', { as: 'viewer' })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toContain('text/plain')
  expect(Number(/^weir_ingest_windows_total\{fate="taken"\} (\d+)$/m.exec(answer.body)?.[1])).toBeGreaterThanOrEqual(7)
  expect(answer.body).toMatch(/^weir_agents_connected 1$/m)
  expect(answer.body).toMatch(/^process_resident_memory_bytes \d+/m)
})
