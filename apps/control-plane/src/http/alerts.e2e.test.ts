import type { Alert } from '@weir/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AlertBook, Deposed } from '../features/alerts/alert-book.ts'
import { raising, record, watchAt } from '../testing/alerts.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { metricsJson, offBooksJson } from '../testing/otlp-sample.ts'
import { postMetrics, withKey } from '../testing/telemetry.ts'

let weir: TestApp
beforeAll(async () => {
  weir = await startTestApp()
})
afterAll(() => weir.close())

/** A stretch of the past that the control plane's own watch does not look at: it looks a few seconds back. */
const START = Math.floor(Date.now() / 5_000) * 5 - 240

const alerts = async (environment: string, query = ''): Promise<Alert[]> =>
  (await weir.call('GET', `/api/v1/environments/${environment}/alerts${query}`, { as: 'viewer' })).body.items
const rulesOf = (environment: string) => weir.call('GET', `/api/v1/environments/${environment}/alert-rules`)
const setRules = async (environment: string, document: object, headers?: Record<string, string>) => {
  const etag = (await rulesOf(environment)).headers.get('etag') ?? ''
  return weir.call('PUT', `/api/v1/environments/${environment}/alert-rules`, {
    body: { document, reason: 'test' },
    headers: headers ?? { 'if-match': etag },
  })
}

test('shedding is raised once, over a restart of the watch, resolved, and listed', async () => {
  const key = await withKey(weir, 'prod', 'orders')
  const path = '/api/v1/environments/prod/services/orders'
  const rules = { rules: { 'sustained-shedding': { share: 0.2, forSeconds: 10, windowSeconds: 5 } } }
  expect((await setRules('prod', rules)).status).toBe(200)

  const labels = { 'weir.gate': 'checkout', 'weir.class': 'sheddable', 'weir.tenant': 'acme' }
  const windows = Array.from({ length: 120 }, (_, second) => ({
    resource: { 'service.instance.id': 'i', 'weir.boot': 'b', 'weir.sequence': second },
    startMs: (START + second) * 1000,
    endMs: (START + second + 1) * 1000,
    counters: [
      ['weir.gate.offered', 20, labels],
      ['weir.gate.completed', 8, labels],
      ['weir.gate.shed', second >= 20 && second < 50 ? 10 : 0, { ...labels, 'weir.reason': 'limit-reached' }],
      ['weir.gate.expired', second >= 40 && second < 50 ? 2 : 0, { ...labels, 'weir.reason': 'expired-in-queue' }],
    ] as const,
  }))
  expect((await postMetrics(weir, key, metricsJson(...windows))).status).toBe(200)

  await watchAt(weir).seconds(START + 5, START + 36)
  const [raised] = await alerts('prod', '?state=firing')
  expect(raised).toMatchObject({
    service: 'orders',
    rule: 'sustained-shedding',
    subject: 'checkout',
    severity: 'ticket',
    state: 'firing',
    value: 0.5,
    threshold: 0.2,
    forSeconds: 10,
    raisedAt: new Date((START + 30) * 1000).toISOString(),
  })
  expect(raised?.summary).toContain('50 % of 20/s are refused')
  await watchAt(weir).seconds(START + 36, START + 55)
  expect(await alerts('prod')).toEqual([{ ...raised, worst: 0.6 }])
  expect((await weir.call('GET', path)).body.openAlerts).toBe(1)
  await watchAt(weir).seconds(START + 55, START + 90)
  expect(await alerts('prod')).toMatchObject([{ id: raised?.id, state: 'resolved', worst: 0.6 }])
  expect(await alerts('prod', '?state=firing')).toEqual([])
  expect(await alerts('prod', '?service=payments')).toEqual([])
  expect((await weir.call('GET', path)).body.openAlerts).toBe(0)
})

test('books that have been off for a while are an alert that names the instance, on every replica and at /metrics, until they add up', async () => {
  const key = await withKey(weir, 'books', 'orders')
  expect((await postMetrics(weir, key, offBooksJson('orders-1', 'checkout'))).status).toBe(200)
  const flaws = async () =>
    (await weir.call('GET', '/api/v1/environments/books/outcomes/flaws?service=orders', { as: 'viewer' })).body.items
  const flaw = { instance: 'orders-1', gate: 'checkout', book: 'arrivals', expected: 2, told: 0, windows: 2 }
  await expect.poll(flaws).toMatchObject([flaw])
  expect((await weir.call('GET', '/metrics')).body).toContain(
    'weir_instances_off_books{environment="books",service="orders"} 1',
  )

  const watch = watchAt(weir)
  await watch.seconds(START, START + 20)
  expect(await alerts('books')).toEqual([])
  const ago = (since: string, last: string) =>
    weir.database.pool.query('UPDATE book_flaw SET since = now() - $1::interval, last_at = now() - $2::interval', [
      since,
      last,
    ])
  await ago('70 s', '5 s')
  await watch.seconds(START + 20, START + 30)
  expect(await alerts('books')).toMatchObject([
    {
      rule: 'books-off',
      service: 'orders',
      state: 'firing',
      summary: 'The books of 1 of 1 instances do not add up: orders-1 (checkout).',
    },
  ])
  await ago('100 s', '31 s')
  await watch.seconds(START + 30, START + 55)
  expect(await alerts('books')).toMatchObject([{ rule: 'books-off', state: 'resolved' }])
})

test('the database lets one alert of a key fire, and only the replica that judges write', async () => {
  await withKey(weir, 'twice', 'orders')
  const raise = await raising(weir, 'twice', 'orders')
  const written = await Promise.all([1, 2, 3].map(() => record(weir, raise)))
  expect(written.flat()).toHaveLength(1)
  expect(await record(weir, raise)).toEqual([])
  await record(weir, { ...raise, key: { ...raise.key, subject: 'search' } })
  expect((await alerts('twice')).map(({ subject }) => subject).sort()).toEqual(['checkout', 'search'])
  const book = weir.app.get(AlertBook, { strict: false })
  await expect(book.record(0n, [{ kind: 'resolve', key: raise.key, at: new Date() }])).rejects.toThrow(Deposed)
  expect(await alerts('twice', '?state=firing')).toHaveLength(2)
})

test('alerts are paged, the newest first', async () => {
  await withKey(weir, 'pages', 'orders')
  const raise = await raising(weir, 'pages', 'orders')
  for (let i = 0; i < 5; i++) {
    await record(weir, { ...raise, value: i / 10, at: new Date(1_700_000_000_000 + i * 1000) })
    await record(weir, { kind: 'resolve', key: raise.key, at: new Date(1_700_000_000_500 + i * 1000) })
  }
  const values: number[] = []
  let cursor = ''
  for (;;) {
    const { body } = await weir.call('GET', `/api/v1/environments/pages/alerts?limit=2${cursor}`)
    values.push(...body.items.map(({ value }: Alert) => value))
    if (body.next === null) break
    cursor = `&cursor=${body.next}`
  }
  expect(values).toEqual([0.4, 0.3, 0.2, 0.1, 0])
  expect((await weir.call('GET', '/api/v1/environments/pages/alerts?cursor=x')).status).toBe(400)
})

test('alerts and silences that have long been over are forgotten', async () => {
  await withKey(weir, 'old', 'orders')
  const raise = await raising(weir, 'old', 'orders')
  const days = (n: number) => new Date(Date.now() - n * 86_400_000)
  for (const ago of [93, 91]) {
    await record(weir, { ...raise, at: days(ago), value: ago })
    await record(weir, { kind: 'resolve', key: raise.key, at: days(ago) })
  }
  await record(weir, { ...raise, at: days(200), value: 200 })
  await weir.app.get(AlertBook, { strict: false }).prune()
  expect((await alerts('old')).map(({ value }) => value)).toEqual([91, 200])
})

test('rules are a document with versions, complete, and refused with every problem', async () => {
  await withKey(weir, 'rules', 'orders')
  const built = await rulesOf('rules')
  expect(built.body).toMatchObject({ version: 0, author: null, document: { services: {} } })
  expect(built.body.document.rules.collapse).toEqual({
    enabled: true,
    severity: 'page',
    forSeconds: 15,
    fall: 0.5,
    windowSeconds: 15,
  })
  const wrong = await setRules('rules', {
    rules: { collapse: { fall: 2, severity: 'loud' }, 'no-such-rule': {} },
    services: { orders: { 'queue-age': { forSeconds: 1 } } },
  })
  expect(wrong.status).toBe(400)
  expect(wrong.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
    'document.rules',
    'document.rules.collapse.fall',
    'document.rules.collapse.severity',
    'document.services.orders.queue-age.forSeconds',
  ])
  const unknown = await setRules('rules', { services: { payments: {} } })
  expect(unknown.body.errors).toEqual([
    { path: 'document.services.payments', message: 'There is no service payments.' },
  ])
  const put = await setRules('rules', { services: { orders: { collapse: { fall: 0.7 } } } })
  expect(put.body).toMatchObject({ version: 1, author: 'test admin', reason: 'test' })
  const watched = await weir.app.get(AlertBook, { strict: false }).watched()
  const { rules } = watched.find(({ environment }) => environment === 'rules') ?? {}
  expect(rules?.collapse).toMatchObject({ fall: 0.7, forSeconds: 15, severity: 'page' })
  expect((await setRules('rules', {}, { 'if-match': '"alert-rules-0"' })).status).toBe(412)
  expect((await setRules('rules', {}, {})).status).toBe(428)
  const asViewer = { as: 'viewer', body: { document: {}, reason: 'x' }, headers: { 'if-match': '*' } }
  expect((await weir.call('PUT', '/api/v1/environments/rules/alert-rules', asViewer)).status).toBe(403)
  expect((await rulesOf('nowhere')).status).toBe(404)
  const audit = await weir.call('GET', '/api/v1/audit?search=alert-rules')
  expect(audit.body.items).toContainEqual(expect.objectContaining({ action: 'alert-rules.set', environment: 'rules' }))
})
