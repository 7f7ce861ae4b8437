import { createHmac } from 'node:crypto'
import type { Alert } from '@weir/api'
import { beforeEach, expect, it } from 'vitest'
import { Courier, type Parcel, type Target, Undelivered } from './courier.ts'
import { Dispatcher, retryMs } from './dispatcher.ts'
import { parcelOf } from './formats.ts'
import { matches } from './matching.ts'
import { MessageWriter } from './messages.ts'
import { AlertOutbox, type Due } from './outbox.ts'

const ALERT: Alert = {
  id: 'a1',
  service: 'orders',
  rule: 'collapse',
  subject: 'checkout',
  severity: 'page',
  state: 'firing',
  summary: 'Goodput is 15/s where 148/s are to be expected <!>.',
  figures: {},
  value: 0.9,
  worst: 0.9,
  threshold: 0.5,
  forSeconds: 15,
  silenced: false,
  raisedAt: '2027-01-15T08:00:00.000Z',
  resolvedAt: null,
}
const RESOLVED: Alert = { ...ALERT, state: 'resolved', resolvedAt: '2027-01-15T08:10:00.000Z' }
const target = (kind: Target['kind'], id = kind): Target => ({
  id,
  kind,
  url: 'https://x.example/',
  to: [],
  secret: 's'.repeat(32),
})

/** What is to be told, by receiver, and what was. */
class Outbox extends AlertOutbox {
  waiting = new Map<string, Due>()
  said: string[] = []
  failures: [string, string, number][] = []

  put(to: Target, alerts: readonly Alert[], more: Partial<Due> = {}): void {
    const with_ = (alert: Alert) => ({ alert, runbook: null })
    this.waiting.set(to.id, {
      target: to,
      environment: 'prod',
      watchdog: false,
      attempts: 0,
      alerts: alerts.map(with_),
      standing: [],
      ...more,
    })
  }
  override async due() {
    return [...this.waiting.values()]
  }
  override async told(id: string, alerts: readonly Pick<Alert, 'id' | 'state'>[]) {
    this.said.push(...alerts.map((alert) => `${id} ${alert.id} ${alert.state}`))
    const due = this.waiting.get(id)
    if (due !== undefined) this.waiting.set(id, { ...due, alerts: [] })
  }
  override async failed(id: string, detail: string, againAfterMs: number) {
    this.failures.push([id, detail, againAfterMs])
  }
}

class Recording extends Courier {
  sent: [string, Parcel][] = []
  answer: (to: Target) => Promise<void> = async () => {}
  override async send(to: Target, parcel: Parcel) {
    await this.answer(to)
    this.sent.push([to.id, parcel])
  }
}

let outbox: Outbox
let courier: Recording
let nowMs: number
let dispatcher: Dispatcher
const errors: unknown[] = []
const writer = new MessageWriter('https://weir.example/')

beforeEach(() => {
  outbox = new Outbox()
  courier = new Recording()
  nowMs = 1_800_000_000_000
  errors.length = 0
  dispatcher = new Dispatcher({
    outbox,
    courier,
    writer,
    clock: () => nowMs,
    random: () => 0.5,
    failed: (error) => errors.push(error),
  })
})
const tick = async (judges = true) => {
  await dispatcher.tick(judges)
  await dispatcher.settled()
}

it('alerts of one service come in one message, once', async () => {
  outbox.put(target('webhook'), [
    ALERT,
    { ...ALERT, id: 'a2', rule: 'queue-age' },
    { ...ALERT, id: 'a3', service: 'search' },
  ])
  await tick()
  await tick()
  expect(courier.sent).toHaveLength(2)
  expect(outbox.said).toEqual(['webhook a1 firing', 'webhook a2 firing', 'webhook a3 firing'])
})

it('what fails is tried again later, is said, and holds up nobody else', async () => {
  let free = () => {}
  courier.answer = async ({ id }) => {
    if (id === 'slack') throw new Undelivered('It answered 500.', null)
    if (id === 'email')
      await new Promise<void>((resolve) => {
        free = resolve
      })
  }
  outbox.put(target('slack'), [ALERT], { attempts: 3 })
  outbox.put(target('email'), [ALERT])
  outbox.put(target('webhook'), [ALERT])
  await dispatcher.tick(true)
  await dispatcher.tick(true)
  await expect.poll(() => courier.sent.map(([id]) => id)).toEqual(['webhook'])
  expect(outbox.failures[0]).toEqual(['slack', 'It answered 500.', 8_000])
  free()
  await dispatcher.settled()
  expect(courier.sent.map(([id]) => id)).toEqual(['webhook', 'email'])
  expect(errors).toEqual([])
})

it('Alertmanager is told again each minute of what fires, and the watchdog only while alerts are judged', async () => {
  outbox.put(target('alertmanager'), [], { watchdog: true, standing: [{ alert: ALERT, runbook: null }] })
  const names = () =>
    courier.sent
      .splice(0)
      .flatMap(([, parcel]) => (parcel.kind === 'http' ? JSON.parse(parcel.body) : []))
      .map((each: { labels: { alertname: string } }) => each.labels.alertname)
  await tick()
  expect(names()).toEqual(['WeirCollapse', 'WeirWatchdog'])
  nowMs += 59_000
  await tick()
  expect(names()).toEqual([])
  nowMs += 1_000
  await tick(false)
  expect(names()).toEqual(['WeirCollapse'])
})

it.each([
  [0, null, 0.5, 1_000],
  [1, null, 0, 1_500],
  [3, null, 1, 10_000],
  [50, null, 0.5, 300_000],
  [0, 20_000, 0.5, 20_000],
  [0, 9_999_999, 0.5, 375_000],
])('after %i failures, told %s, by chance %f: again in %i ms', (attempts, retryAfter, random, ms) => {
  expect(retryMs(attempts, retryAfter, random)).toBe(ms)
})

const bodyOf = (parcel: Parcel) => (parcel.kind === 'http' ? JSON.parse(parcel.body) : null)
const [firing] = writer.alerts('prod', [{ alert: ALERT, runbook: null }])
const [resolved] = writer.alerts('prod', [{ alert: RESOLVED, runbook: 'https://wiki.example/collapse' }])
if (firing === undefined || resolved === undefined) throw new Error('no message')

it('links to the figures at that time and to what to do', () => {
  const url = new URL(firing.alerts[0]?.url ?? '')
  expect(url.pathname).toBe('/e/prod/s/orders')
  expect(Object.fromEntries(url.searchParams)).toEqual({
    from: '2027-01-15T07:54:45.000Z',
    to: '2027-01-15T08:05:00.000Z',
    gate: 'checkout',
  })
  expect(firing.alerts[0]?.runbookUrl).toBe('https://weir.example/e/prod/alerts?runbook=collapse')
  expect(resolved.alerts[0]?.runbookUrl).toBe('https://wiki.example/collapse')
})

it('speaks to Alertmanager in labels that do not change, and ends what is over', () => {
  const [up] = bodyOf(parcelOf(target('alertmanager'), firing, nowMs))
  const [down] = bodyOf(parcelOf(target('alertmanager'), resolved, nowMs))
  expect(up.labels).toEqual({
    alertname: 'WeirCollapse',
    environment: 'prod',
    service: 'orders',
    severity: 'page',
    subject: 'checkout',
  })
  expect(down.labels).toEqual(up.labels)
  expect([up.startsAt, up.endsAt]).toEqual([ALERT.raisedAt, new Date(nowMs + 240_000).toISOString()])
  expect(down.endsAt).toBe(RESOLVED.resolvedAt)
  expect(up.annotations.runbook_url).toContain('runbook=collapse')
})

it('signs the time and the body, and says the same id for the same news', () => {
  const parcel = parcelOf(target('webhook'), firing, nowMs)
  if (parcel.kind !== 'http') throw new Error('no http')
  const expected = createHmac('sha256', 's'.repeat(32)).update(`1800000000.${parcel.body}`).digest('hex')
  expect(parcel.headers).toMatchObject({ 'weir-timestamp': '1800000000', 'weir-signature': `v1=${expected}` })
  const again = parcelOf(target('webhook'), firing, nowMs + 5_000)
  expect(again.kind === 'http' && again.headers['weir-delivery']).toBe(parcel.headers['weir-delivery'])
  const over = parcelOf(target('webhook'), resolved, nowMs)
  expect(over.kind === 'http' && over.headers['weir-delivery']).not.toBe(parcel.headers['weir-delivery'])
})

it('writes plainly to people, and nothing that Slack would take for its own signs', () => {
  const { text } = bodyOf(parcelOf(target('slack'), firing, nowMs))
  expect(text).toContain('PAGE: Collapse of gate checkout, since 2027-01-15T08:00:00.000Z')
  expect(text).toContain('&lt;!&gt;')
  const mail = parcelOf(target('email'), resolved, nowMs)
  expect(mail).toMatchObject({ kind: 'email', subject: '[Weir] RESOLVED: Collapse of gate checkout, orders in prod' })
})

it.each([
  [{}, true],
  [{ services: ['orders'] }, true],
  [{ services: ['search'] }, false],
  [{ services: ['orders'], severities: ['ticket'] }, false],
  [{ rules: ['collapse', 'queue-age'], severities: ['page'] }, true],
] as const)('%j means it: %s', (some, meant) => {
  expect(matches({ services: [], rules: [], severities: [], ...(some as object) }, ALERT)).toBe(meant)
})
