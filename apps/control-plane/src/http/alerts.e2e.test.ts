import type { Alert } from '@weir/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AlertBook } from '../features/alerts/alert-book.ts'
import { AlertWatch } from '../features/alerts/alert-watch.ts'
import { LiveBroadcast } from '../features/live/live-port.ts'
import { OutcomeStore } from '../features/outcomes/outcome-store.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { metricsJson } from '../testing/otlp-sample.ts'
import { postMetrics, withKey } from '../testing/telemetry.ts'

let weir: TestApp
beforeAll(async () => {
  weir = await startTestApp()
})
afterAll(() => weir.close())

/** A stretch of the past that the control plane's own watch does not look at: it looks a few seconds back. */
const START = Math.floor(Date.now() / 1000) - 120
const RULE = { share: 0.2, forSeconds: 5 }

const alerts = async (query = ''): Promise<Alert[]> =>
  (await weir.call('GET', `/api/v1/environments/prod/alerts${query}`, { as: 'viewer' })).body.items

test('sustained shedding is raised once, over a restart of the watch, resolved, and listed', async () => {
  const key = await withKey(weir, 'prod', 'orders')
  const path = '/api/v1/environments/prod/services/orders'
  const tag = (await weir.call('GET', path)).headers.get('etag') ?? ''
  const ruled = await weir.call('PUT', `${path}/alert-rule`, { body: RULE, headers: { 'if-match': tag } })
  expect(ruled.status).toBe(200)

  const labels = { 'weir.gate': 'checkout', 'weir.class': 'critical', 'weir.tenant': 'acme' }
  const windows = Array.from({ length: 60 }, (_, second) => ({
    resource: { 'service.instance.id': 'i', 'weir.boot': 'b', 'weir.sequence': second },
    startMs: (START + second) * 1000,
    endMs: (START + second + 1) * 1000,
    counters: [
      ['weir.gate.offered', 20, labels],
      ['weir.gate.shed', second >= 10 && second < 30 ? 10 : 0, { ...labels, 'weir.reason': 'tenant-rate' }],
      ['weir.gate.expired', second >= 20 && second < 30 ? 2 : 0, { ...labels, 'weir.reason': 'expired-in-queue' }],
    ] as const,
  }))
  expect((await postMetrics(weir, key, metricsJson(...windows))).status).toBe(200)

  const book = weir.app.get(AlertBook, { strict: false })
  const newWatch = () =>
    new AlertWatch(book, weir.app.get(OutcomeStore, { strict: false }), weir.app.get(LiveBroadcast, { strict: false }))
  const beats = async (watch: AlertWatch, from: number, to: number) => {
    for (let second = from; second < to; second++) await watch.tick((START + second) * 1000)
  }
  await beats(newWatch(), 5, 26)
  const [raised] = await alerts('?state=firing')
  expect(raised).toMatchObject({
    service: 'orders',
    rule: 'sustained-shedding',
    state: 'firing',
    threshold: 0.2,
    forSeconds: 5,
  })
  await beats(newWatch(), 26, 34)
  expect(await alerts()).toEqual([{ ...raised, peakShare: 0.6 }])
  expect((await weir.call('GET', path)).body.openAlerts).toBe(1)
  await beats(newWatch(), 34, 60)
  expect(await alerts()).toMatchObject([{ id: raised?.id, state: 'resolved', peakShare: 0.6 }])
  expect(await alerts('?state=firing')).toEqual([])
  expect(await alerts('?service=payments')).toEqual([])
  expect((await weir.call('GET', path)).body.openAlerts).toBe(0)
})

test('the database lets one alert of a service fire, whoever raises it', async () => {
  await withKey(weir, 'twice', 'orders')
  const book = weir.app.get(AlertBook, { strict: false })
  const service = (await book.watched()).find(({ environment }) => environment === 'twice')
  if (service === undefined) throw new Error('no service')
  const at = new Date()
  const raised = await Promise.all([1, 2, 3].map(() => book.raise(service, 0.5, at)))
  expect(new Set(raised.map(({ id }) => id)).size).toBe(1)
})

test('alerts are paged, the newest first', async () => {
  await withKey(weir, 'pages', 'orders')
  const book = weir.app.get(AlertBook, { strict: false })
  const service = (await book.watched()).find(({ environment }) => environment === 'pages')
  if (service === undefined) throw new Error('no service')
  for (let i = 0; i < 5; i++) {
    const { id } = await book.raise(service, i / 10, new Date(1_700_000_000_000 + i * 1000))
    await book.resolve(id, new Date(1_700_000_000_500 + i * 1000))
  }
  const shares: number[] = []
  let cursor = ''
  for (;;) {
    const { body } = await weir.call('GET', `/api/v1/environments/pages/alerts?limit=2${cursor}`)
    shares.push(...body.items.map(({ share }: Alert) => share))
    if (body.next === null) break
    cursor = `&cursor=${body.next}`
  }
  expect(shares).toEqual([0.4, 0.3, 0.2, 0.1, 0])
  expect((await weir.call('GET', '/api/v1/environments/pages/alerts?cursor=x')).status).toBe(400)
})
