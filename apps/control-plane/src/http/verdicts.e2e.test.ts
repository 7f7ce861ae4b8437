import type { Verdicts } from '@weir/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { metricsJson } from '../testing/otlp-sample.ts'
import { postMetrics, withKey } from '../testing/telemetry.ts'

let weir: TestApp
beforeAll(async () => {
  weir = await startTestApp()
})
afterAll(() => weir.close())

const verdicts = async (query = ''): Promise<Verdicts> =>
  (await weir.call('GET', `/api/v1/environments/prod/verdicts${query}`, { as: 'viewer' })).body

test('services are judged the worst first, with what most of the refused work has in common', async () => {
  const key = await withKey(weir, 'prod', 'calm', 'short', 'broken', 'quiet')
  const now = Math.floor(Date.now() / 10_000) * 10_000
  const send = async (
    service: string,
    work: (bucket: number) => Readonly<Record<string, number>>,
    dependencyMs = 0,
  ) => {
    const labels = { 'weir.gate': 'checkout', 'weir.class': 'critical', 'weir.tenant': 'acme', 'weir.revision': 3 }
    const windows = Array.from({ length: 12 }, (_, i) => ({
      resource: { 'service.name': service, 'service.instance.id': 'i', 'weir.boot': service, 'weir.sequence': i },
      startMs: now - (12 - i) * 10_000,
      endMs: now - (11 - i) * 10_000,
      counters: [
        ...Object.entries(work(i)).map(
          ([figure, n]) =>
            [
              `weir.gate.${figure}`,
              n,
              figure === 'shed' ? { ...labels, 'weir.reason': 'limit-reached' } : labels,
            ] as const,
        ),
        ...(dependencyMs > 0 ? [['weir.dependency.calls', 10, { 'weir.dependency': 'bank' }] as const] : []),
      ],
      gauges:
        dependencyMs > 0 && i >= 6 ? [['weir.dependency.breaker', 2, { 'weir.dependency': 'bank' }] as const] : [],
    }))
    expect((await postMetrics(weir, key, metricsJson(...windows))).status).toBe(200)
  }
  await send('calm', () => ({ offered: 500, accepted: 500, completed: 500 }))
  await send('short', () => ({ offered: 900, accepted: 500, completed: 500, shed: 400 }))
  await send(
    'broken',
    (i) =>
      i < 6
        ? { offered: 500, accepted: 500, completed: 500 }
        : { offered: 900, accepted: 100, completed: 100, shed: 800 },
    900,
  )
  await expect
    .poll(async () => (await verdicts()).items.map(({ service, verdict }) => `${service.name} ${verdict}`), {
      timeout: 20_000,
    })
    .toEqual(['broken collapse', 'short shedding', 'calm healthy', 'quiet silent'])

  const { items, counts } = await verdicts()
  expect(counts).toEqual({ collapse: 1, silent: 1, shedding: 1, healthy: 1 })
  expect(items[0]).toMatchObject({
    signs: ['goodput-falls', 'high-classes-refused'],
    goodputBefore: 50,
    since: new Date(now - 60_000).toISOString(),
    reason: { label: 'limit-reached', share: 1 },
    tenant: { label: 'acme', share: 1 },
    class: { label: 'critical', share: 1 },
    dependency: { name: 'bank', breakersOpen: expect.closeTo(1, 0) },
  })

  const first = await verdicts('?limit=3')
  const rest = await verdicts(`?limit=3&cursor=${first.next}`)
  expect([...first.items, ...rest.items].map(({ service }) => service.name)).toEqual([
    'broken',
    'short',
    'calm',
    'quiet',
  ])
  const agents = { live: 0, applied: 0, refused: 0, pending: 0 }
  expect(await verdicts('?offset=3&limit=1')).toMatchObject({
    items: [{ service: { name: 'quiet' } }],
    found: 4,
    agents,
  })
  expect((await verdicts('?search=cal')).found).toBe(1)
  expect((await verdicts('?search=cal')).items.map(({ service }) => service.name)).toEqual(['calm'])
  expect((await weir.call('GET', '/api/v1/environments/none/verdicts')).status).toBe(404)
}, 60_000)

test('a publish is marked on the axis, with who and why', async () => {
  await withKey(weir, 'marks', 'orders')
  const at = '/api/v1/environments/marks/services/orders/policy'
  const tag = (await weir.call('GET', at)).headers.get('etag') ?? ''
  const body = { document: 'gates: { a: { concurrency: 3 } }', reason: 'Night shift' }
  expect((await weir.call('POST', `${at}/publish`, { body, headers: { 'if-match': tag } })).status).toBe(200)
  const [from, to] = [-60_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString())
  const { body: marks } = await weir.call('GET', `/api/v1/environments/marks/annotations?from=${from}&to=${to}`)
  expect(marks.items).toMatchObject([
    { kind: 'published', service: 'orders', label: 'v1', detail: 'test admin: Night shift' },
  ])
})
