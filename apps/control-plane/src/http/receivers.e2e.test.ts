import { createHmac } from 'node:crypto'
import type { Alert } from '@weir/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AlertChange } from '../features/alerts/alert-book.ts'
import { type RunningAlertmanager, startAlertmanager, toldAtOnce } from '../testing/alertmanager.ts'
import { raising, record } from '../testing/alerts.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { freePort, httpSink, mailSink } from '../testing/sinks.ts'
import { withKey } from '../testing/telemetry.ts'

type Sink = Awaited<ReturnType<typeof httpSink>>
let weir: TestApp
let mail: Awaited<ReturnType<typeof mailSink>>
const sinks: Sink[] = []
const sink = async (answer?: () => number): Promise<Sink> => {
  const made = await httpSink(answer)
  sinks.push(made)
  return made
}

beforeAll(async () => {
  mail = await mailSink()
  weir = await startTestApp({
    environment: {
      WEIR_PRIVATE_TARGETS: '127.0.0.1',
      SMTP_URL: mail.url,
      SMTP_FROM: 'Weir <weir@weir.test>',
      PUBLIC_URL: 'https://weir.test',
    },
  })
})
afterAll(async () => {
  await weir.close()
  await mail.close()
  for (const each of sinks) await each.close()
})

const at = (environment: string, path = '') => `/api/v1/environments/${environment}/receivers${path}`
const create = async (environment: string, body: object) => {
  const made = await weir.call('POST', at(environment), { body })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body
}
const deliveryOf = async (environment: string, id: string) =>
  (await weir.call('GET', at(environment, `/${id}`))).body.delivery
const over = ({ key }: { key: AlertChange['key'] }): AlertChange => ({ kind: 'resolve', key, at: new Date() })
const states = (heard: readonly { body: string }[]) =>
  heard.flatMap(({ body }) => JSON.parse(body).alerts.map(({ rule, state }: Alert) => `${rule} ${state}`))

test('an alert is told once when raised and once when over: signed, to Slack, by mail', async () => {
  await withKey(weir, 'told', 'orders')
  const [hook, slack] = [await sink(), await sink()]
  const webhook = await create('told', { kind: 'webhook', name: 'ours', url: `${hook.url}/hook?a=1` })
  await create('told', { kind: 'slack', name: 'channel', url: `${slack.url}/services/T/B/secret-part` })
  await create('told', {
    kind: 'email',
    name: 'people',
    to: ['a@weir.test', 'b@weir.test'],
    matchers: { severities: ['page'] },
  })
  expect(webhook.secret).toMatch(/^[\w-]{43}$/)

  const raise = await raising(weir, 'told', 'orders', { severity: 'page' })
  await record(weir, raise)
  await expect.poll(() => [hook.heard.length, slack.heard.length, mail.heard.length]).toEqual([1, 1, 1])
  await record(weir, over(raise))
  await expect.poll(() => [hook.heard.length, slack.heard.length, mail.heard.length]).toEqual([2, 2, 2])
  expect(states(hook.heard)).toEqual(['sustained-shedding firing', 'sustained-shedding resolved'])
  for (const { headers, body, path } of hook.heard) {
    const signature = createHmac('sha256', webhook.secret).update(`${headers['weir-timestamp']}.${body}`).digest('hex')
    expect(headers['weir-signature']).toBe(`v1=${signature}`)
    expect(Math.abs(Number(headers['weir-timestamp']) - Date.now() / 1_000)).toBeLessThan(60)
    expect(path).toBe('/hook?a=1')
  }
  expect(JSON.parse(hook.heard[0]?.body ?? '').alerts[0]).toMatchObject({
    title: 'Sustained shedding of gate checkout',
    runbookUrl: 'https://weir.test/e/told/alerts?runbook=sustained-shedding',
    url: expect.stringContaining('https://weir.test/e/told/s/orders?from='),
  })
  expect(slack.heard[0]?.path).toBe('/services/T/B/secret-part')
  expect(JSON.parse(slack.heard[0]?.body ?? '').text).toContain('PAGE: Sustained shedding of gate checkout')
  expect(mail.heard[0]).toContain('Subject: [Weir] PAGE: Sustained shedding of gate checkout')
  expect(mail.heard[0]).toContain('To: a@weir.test, b@weir.test')

  const ticket = await raising(weir, 'told', 'orders', { subject: 'search' })
  await record(weir, ticket)
  await expect.poll(() => hook.heard.length).toBe(3)
  expect(mail.heard).toHaveLength(2)
})

test('a real Alertmanager that was away hears later, tells once that it fires and once that it is over', async () => {
  await withKey(weir, 'am', 'orders')
  const [hook, port] = [await sink(), await freePort()]
  const { id } = await create('am', { kind: 'alertmanager', name: 'am', url: `http://127.0.0.1:${port}` })
  const raise = await raising(weir, 'am', 'orders')
  await record(weir, raise)
  await expect
    .poll(() => deliveryOf('am', id))
    .toMatchObject({
      error: expect.stringContaining('ECONNREFUSED'),
      waiting: 1,
      deliveredAt: null,
    })
  const alertmanager: RunningAlertmanager = await startAlertmanager(port, toldAtOnce(hook.url))
  try {
    await expect.poll(() => alertmanager.firing()).toEqual(['WeirSustainedShedding', 'WeirWatchdog'])
    await expect.poll(() => deliveryOf('am', id)).toMatchObject({ error: null, attempts: 0, waiting: 0 })
    await record(weir, over(raise))
    const told = () =>
      hook.heard
        .map(({ body }) => JSON.parse(body))
        .filter(({ commonLabels }) => commonLabels.alertname === 'WeirSustainedShedding')
    await expect.poll(() => told().map(({ status }) => status)).toEqual(['firing', 'resolved'])
    const [first] = told()
    expect(first.alerts[0]).toMatchObject({
      labels: { environment: 'am', service: 'orders', severity: 'ticket', subject: 'checkout' },
      annotations: { runbook_url: 'https://weir.test/e/am/alerts?runbook=sustained-shedding' },
      generatorURL: expect.stringContaining('/e/am/s/orders?from='),
    })
    expect(await alertmanager.firing()).toEqual(['WeirWatchdog'])
  } finally {
    await alertmanager.end()
  }
})

test('a silence holds back what nobody heard of, and lets go of it when it ends', async () => {
  await withKey(weir, 'quiet', 'orders')
  const hook = await sink()
  await create('quiet', { kind: 'webhook', name: 'ours', url: hook.url })
  const silences = '/api/v1/environments/quiet/silences'
  const to = new Date(Date.now() + 3_600_000).toISOString()
  const silence = await weir.call('POST', silences, {
    as: 'editor',
    body: { to, reason: 'Load test', matchers: { services: ['orders'], rules: ['sustained-shedding'] } },
  })
  expect(silence.body).toMatchObject({ state: 'active', author: 'test editor', reason: 'Load test' })
  const raise = await raising(weir, 'quiet', 'orders')
  const short = { ...raise, key: { ...raise.key, subject: 'search' } }
  const other = { ...raise, key: { ...raise.key, rule: 'queue-age' as const } }
  await record(weir, raise, short)
  await record(weir, other)
  await expect.poll(() => states(hook.heard)).toEqual(['queue-age firing'])
  await record(weir, over(short))
  const listed = (await weir.call('GET', '/api/v1/environments/quiet/alerts?state=firing')).body.items
  expect(listed.map(({ rule, silenced }: Alert) => [rule, silenced]).sort()).toEqual([
    ['queue-age', false],
    ['sustained-shedding', true],
  ])
  expect((await weir.call('DELETE', `${silences}/${silence.body.id}`, { as: 'editor' })).body.state).toBe('ended')
  await expect.poll(() => states(hook.heard)).toEqual(['queue-age firing', 'sustained-shedding firing'])
  await record(weir, over(raise))
  await expect.poll(() => states(hook.heard).at(-1)).toBe('sustained-shedding resolved')

  const planned = { from: new Date(Date.now() + 600_000).toISOString(), to, reason: 'Move' }
  expect((await weir.call('POST', silences, { body: planned })).body.state).toBe('planned')
  const bad = { from: to, to: planned.from, reason: '' }
  const refused = await weir.call('POST', silences, { body: bad })
  expect(refused.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(['reason', 'to'])
  expect((await weir.call('POST', silences, { body: { to: '2020-01-01T00:00:00Z', reason: 'x' } })).status).toBe(400)
  expect((await weir.call('POST', silences, { as: 'viewer', body: planned })).status).toBe(403)
  expect((await weir.call('GET', `${silences}?limit=1`)).body.items).toHaveLength(1)
})

test('what fired or was silenced for longer than a day is told all the same', async () => {
  await withKey(weir, 'long', 'orders')
  const hook = await sink()
  await create('long', { kind: 'webhook', name: 'ours', url: hook.url })
  const daysLater = () => weir.database.pool.query(`UPDATE alert_delivery SET created_at = now() - interval '3 days'`)
  const raise = await raising(weir, 'long', 'orders')
  await record(weir, raise)
  await expect.poll(() => states(hook.heard)).toEqual(['sustained-shedding firing'])
  await daysLater()
  await record(weir, over(raise))
  await expect.poll(() => states(hook.heard).slice(1)).toEqual(['sustained-shedding resolved'])

  const silences = '/api/v1/environments/long/silences'
  const to = new Date(Date.now() + 3_600_000).toISOString()
  const silence = await weir.call('POST', silences, {
    body: { to, reason: 'Move', matchers: { rules: ['queue-age'] } },
  })
  await record(weir, { ...raise, key: { ...raise.key, rule: 'queue-age' } })
  await daysLater()
  expect((await weir.call('DELETE', `${silences}/${silence.body.id}`)).status).toBe(200)
  await expect.poll(() => states(hook.heard).slice(2)).toEqual(['queue-age firing'])
})

test('receivers never say their secret, and what is done with them is audited', async () => {
  await withKey(weir, 'keep', 'orders')
  let status = 500
  const hook = await sink(() => status)
  const given = 'a-secret-of-our-own'
  const made = await create('keep', { kind: 'webhook', name: 'ours', url: hook.url, secret: given })
  const slack = await create('keep', {
    kind: 'slack',
    name: 'channel',
    url: 'https://hooks.slack.test/services/T/B/hidden',
  })
  expect(made.secret).toBeNull()
  const all = JSON.stringify([
    (await weir.call('GET', at('keep'))).body,
    slack,
    (await weir.call('GET', '/api/v1/audit?search=receiver&limit=100')).body,
  ])
  expect(all).toContain('hooks.slack.test')
  for (const hidden of [given, 'hidden']) expect(all).not.toContain(hidden)

  const failed = await weir.call('POST', at('keep', `/${made.id}/test`))
  expect(failed.body).toEqual({ delivered: false, detail: 'It answered 500.' })
  status = 200
  expect((await weir.call('POST', at('keep', `/${made.id}/test`))).body.delivered).toBe(true)
  expect(JSON.parse(hook.heard[0]?.body ?? '')).toMatchObject({ kind: 'test', environment: 'keep', by: 'test admin' })

  const tag = { 'if-match': '"receiver-1"' }
  const edit = { kind: 'webhook', name: 'renamed', url: hook.url }
  const changed = await weir.call('PUT', at('keep', `/${made.id}`), { body: edit, headers: tag })
  expect(changed.body).toMatchObject({ name: 'renamed', version: 2, hasSecret: true })
  expect((await weir.call('PUT', at('keep', `/${made.id}`), { body: edit, headers: tag })).status).toBe(412)
  await weir.call('POST', at('keep', `/${made.id}/test`))
  const { headers, body } = hook.heard.at(-1) ?? { headers: {} as Record<string, string>, body: '' }
  const signature = createHmac('sha256', given).update(`${headers['weir-timestamp']}.${body}`).digest('hex')
  expect(headers['weir-signature']).toBe(`v1=${signature}`)

  expect((await weir.call('POST', at('keep'), { as: 'editor', body: edit })).status).toBe(403)
  for (const [bad, path] of [
    [{ kind: 'webhook', name: 'x', url: 'ftp://x.example/' }, 'url'],
    [{ kind: 'webhook', name: 'x', url: 'https://a:b@x.example/' }, 'url'],
    [{ kind: 'slack', name: 'x' }, 'url'],
    [{ kind: 'email', name: 'x', to: ['nobody'] }, 'to.0'],
    [{ kind: 'webhook', name: 'x', url: 'https://x.example/', secret: 'short' }, 'secret'],
  ] as const) {
    const answer = await weir.call('POST', at('keep'), { body: bad })
    expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, path])
  }
  expect((await weir.call('DELETE', at('keep', `/${made.id}`))).status).toBe(204)
  expect((await weir.call('GET', at('keep', `/${made.id}`))).status).toBe(404)
  const audit = (await weir.call('GET', '/api/v1/audit?search=receiver&limit=100')).body.items
  const actions = new Set(
    audit
      .filter((each: { environment: string }) => each.environment === 'keep')
      .map(({ action }: { action: string }) => action),
  )
  expect(actions).toEqual(new Set(['receiver.create', 'receiver.test', 'receiver.set', 'receiver.remove']))
})

test('a new receiver hears of what fires, and of what waits for a dead one the newest is kept', async () => {
  await withKey(weir, 'many', 'orders')
  const raise = await raising(weir, 'many', 'orders')
  await record(weir, raise)
  const hook = await sink()
  await create('many', { kind: 'webhook', name: 'late', url: hook.url })
  await expect.poll(() => states(hook.heard)).toEqual(['sustained-shedding firing'])

  const dead = await create('many', { kind: 'webhook', name: 'dead', url: `http://127.0.0.1:${await freePort()}/` })
  const changes = Array.from({ length: 1_010 }, (_, i) => ({ ...raise, key: { ...raise.key, subject: `g${i}` } }))
  await record(weir, ...changes)
  await expect.poll(() => deliveryOf('many', dead.id)).toMatchObject({ waiting: 1_000, dropped: 11 })
})
