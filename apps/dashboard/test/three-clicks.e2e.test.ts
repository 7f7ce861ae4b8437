import { setTimeout as pause } from 'node:timers/promises'
import { DURATION_BOUNDS_S } from '@weir/wire/model'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Weir } from '../../agent/src/index.ts'
import { metricsJson } from '../../control-plane/src/testing/otlp-sample.ts'
import { record } from '../../control-plane/src/testing/recorded.ts'
import { postMetrics } from '../../control-plane/src/testing/telemetry.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
const undo: (() => unknown)[] = []
let alive = true
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(async () => {
  await Promise.all(undo.map((step) => step()))
  await rig.browser.close()
  if (alive) await rig.weir.close()
})

const WORK_MS = 50

/** A service with a policy, a real agent in it, and so many pieces of work a second; `run` is what each does. */
const underLoad = async (name: string, policy: string, perSecond: number, run: (weir: Weir) => Promise<unknown>) => {
  const { base, key } = await rig.service(name)
  await rig.publish(base, policy, 'First limits')
  await record(rig.weir, { service: name, seconds: 300, perSecond: 40, ms: WORK_MS })
  const weir = await Weir.start({
    controlPlane: rig.weir.url.replace(/^http/, 'ws'),
    key,
    instance: `${name}-1`,
    snapshotDir: false,
  })
  let owed = 0
  const timer = setInterval(() => {
    owed += perSecond / 50
    for (; owed >= 1; owed--) void run(weir).catch(() => {})
  }, 20)
  undo.push(async () => {
    clearInterval(timer)
    await weir.close()
  })
  return { base, key }
}

const checkout = (weir: Weir) =>
  weir.gate('checkout').run({ tenant: 'acme', criticality: 'sheddable' }, () => pause(WORK_MS))

/** Calls of a while ago that took 40 ms. */
const earlierCalls = (key: string): Promise<unknown> => {
  const endMs = Date.now() - 120_000
  const call = { 'weir.dependency': 'bank' }
  const counts = DURATION_BOUNDS_S.map((bound, i) =>
    bound >= 0.04 && (DURATION_BOUNDS_S[i - 1] ?? 0) < 0.04 ? 400 : 0,
  )
  return postMetrics(
    rig.weir,
    key,
    metricsJson({
      resource: { 'service.name': 'catalogue', 'service.instance.id': 'before', 'weir.boot': 'b', 'weir.sequence': 1 },
      startMs: endMs - 10_000,
      endMs,
      counters: [['weir.dependency.calls', 400, call]],
      histograms: [['weir.dependency.duration', { counts: [...counts, 0], bounds: DURATION_BOUNDS_S, sum: 16 }, call]],
    }),
  )
}

const overview = async (page: Page): Promise<void> => {
  await page.goto(`${rig.weir.url}/e/prod`)
  await page.getByRole('table', { name: 'Services' }).waitFor()
}

it('the command bar goes anywhere by keyboard, and times can be read in UTC', async () => {
  await rig.service('invoices')
  const page = await rig.signedIn('viewer', 'dark')
  await page.goto(`${rig.weir.url}/e/prod`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+K')
  await page.getByRole('textbox', { name: 'Go to' }).fill('invoi')
  await page.getByRole('option', { name: /invoices/ }).waitFor()
  expect(await flaws(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'invoices' }).waitFor()
  await page.keyboard.press('u')
  await page.getByRole('button', { name: /Times are in UTC/ }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await flaws(page)).toEqual([])
})

it('an overload, a policy mistake, a slow dependency and a dead control plane are found from the overview in at most three clicks', async () => {
  await underLoad('orders', 'gates: { checkout: { concurrency: 4, queue: { maxWaitMs: 0 } } }', 200, checkout)
  const { base } = await underLoad('search', 'gates: { checkout: { concurrency: 20 } }', 48, checkout)
  const { key } = await underLoad('catalogue', 'dependencies: { bank: {} }', 10, (weir) =>
    weir.dependency('bank').call(() => pause(400)),
  )
  await earlierCalls(key)
  await rig.publish(base, 'gates: { checkout: { concurrency: 1, queue: { maxWaitMs: 0 } } }', 'Save some memory')
  const page = await rig.signedIn('viewer')
  await overview(page)
  const row = (service: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name: service, exact: true }) })
  const settled = { timeout: 90_000 }
  await row('orders').getByText('Controlled shedding').waitFor(settled)
  await row('orders')
    .getByText(/Refuses [\d.]+ % of .*; goodput holds at/)
    .waitFor()
  await row('search').getByText('Collapse').waitFor(settled)
  await row('search')
    .getByText(/Goodput fell to .*; it was 4[\d.]*\/s with no more work than now/)
    .waitFor()
  await expect.poll(() => page.getByRole('row').nth(1).textContent()).toContain('search')

  // The overload: to the curve of its reason, then to the decisions of a moment, by keyboard alone.
  await row('orders')
    .getByRole('link', { name: /All slots taken/ })
    .click()
  const why = page.getByRole('region', { name: 'Refused by reason' })
  await why.getByRole('cell', { name: /All slots taken/ }).waitFor()
  await why.getByRole('slider', { name: 'Moment in Refused by reason' }).focus()
  await page.keyboard.press('End')
  for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /Why was it refused at/ }).waitFor()
  const decision = page.getByText(/Shed: all slots were taken \(limit 4, in flight 4\)/).first()
  await decision.click()
  await page.getByText('gates.checkout.concurrency').first().waitFor()
  await expect.poll(() => page.url()).toMatch(/at=/)
  expect(await flaws(page)).toEqual([])

  // The policy mistake: to the version that it began with, its author's reason, and the way back.
  await overview(page)
  await row('search').getByRole('link', { name: 'Began when version 2 was published' }).click()
  await page.getByRole('cell', { name: 'Save some memory' }).waitFor()

  // The slow dependency.
  await overview(page)
  await row('catalogue')
    .getByRole('link', { name: /Dependency bank: answers in .*, before in/ })
    .click(settled)
  await page.getByRole('heading', { name: 'Dependency bank' }).waitFor()

  // The dead control plane: said on the page itself.
  await overview(page)
  await rig.weir.close()
  alive = false
  await page.getByText('The control plane does not answer.').waitFor({ timeout: 60_000 })
  await page.getByText(/agents go on deciding with the last policy they had/).waitFor()
  await row('orders').getByText('Controlled shedding').waitFor()
})
