import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Weir } from '../../agent/src/index.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
let page: Page
const undo: (() => unknown)[] = []

const POLICY = `gates:
  checkout: { concurrency: 4, queue: { maxWaitMs: 0 } }
  spare: {}
dependencies:
  bank: { ceiling: 12, retry: { maxAttempts: 1 }, breaker: { openMs: 60000 } }
`

/** Three processes under more load than they take; what the last one calls is broken. */
beforeAll(async () => {
  rig = await Rig.start()
  const { base, key } = await rig.service('orders')
  await rig.publish(base, POLICY, 'First limits')
  const controlPlane = rig.weir.url.replace(/^http/, 'ws')
  for (const n of [1, 2, 3]) {
    const weir = await Weir.start({ controlPlane, key, instance: `orders-${n}`, snapshotDir: false })
    const timer = setInterval(() => {
      for (const tenant of ['acme', 'umbrella', 'acme'])
        void weir
          .gate('checkout')
          .run({ tenant, criticality: 'sheddable' }, () => pause(50))
          .catch(() => {})
      void weir
        .dependency('bank')
        .call(async () => {
          await pause(10)
          if (n === 3) throw new Error('The bank is closed.')
        })
        .catch(() => {})
    }, 25)
    undo.push(async () => {
      clearInterval(timer)
      await weir.close()
    })
  }
  page = await rig.signedIn('viewer')
})
afterAll(async () => {
  await Promise.all(undo.map((step) => step()))
  await rig.stop()
})

const processes = (at: Page) => at.getByRole('table', { name: 'Processes' })

it('a gate is the second click from the overview: its books, its reasons, its processes and its rule, all of it in the address', async () => {
  await page.goto(`${rig.weir.url}/e/prod`)
  await page.getByRole('table', { name: 'Services' }).getByRole('link', { name: 'orders', exact: true }).click()
  await page.getByRole('table', { name: 'Gates' }).getByRole('link', { name: 'checkout' }).click()
  await page.getByRole('heading', { name: 'Gate checkout' }).waitFor()
  await page.getByText('adds up').waitFor()
  await page.getByText('Enforced').waitFor()
  await page.getByRole('cell', { name: /All slots taken/ }).waitFor()
  await page
    .getByText(/Shed: all slots were taken \(limit 4, in flight 4\) and nobody may wait/)
    .first()
    .waitFor()
  for (const n of [1, 2, 3]) await processes(page).getByText(`orders-${n}`).waitFor()
  const rule = page.getByRole('region', { name: 'Policy of this gate' })
  await rule.getByText('4 slots').waitFor()
  expect(await flaws(page)).toEqual([])

  await page.getByText('Tenant', { exact: true }).first().click()
  await page.getByRole('cell', { name: 'umbrella' }).waitFor()
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('1h')
  await page.getByText('1 h', { exact: true }).click()
  const address = `${rig.weir.url}/e/prod/s/orders/gates/checkout?by=tenant&compare=1h`
  await expect.poll(() => page.url()).toBe(`${address}&range=1h`)
  await page.goBack()
  await expect.poll(() => page.url()).toBe(address)
  await page.reload()
  await page.getByRole('cell', { name: 'umbrella' }).waitFor()
  await page.getByText('offered an hour ago').waitFor()

  await rule.getByRole('link', { name: 'Open in the policy' }).click()
  const item = page.getByRole('button', { name: 'checkout', exact: true })
  await expect.poll(() => item.getAttribute('aria-expanded')).toBe('true')
  await page.goBack()
  await page.getByRole('heading', { name: 'Gate checkout' }).waitFor()
  await page.goBack()
  await page.getByRole('table', { name: 'Gates' }).waitFor()
})

it('a dependency tells in how many processes its breaker is open, and in which', async () => {
  await page.goto(`${rig.weir.url}/e/prod/s/orders`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+K')
  await page.getByRole('textbox', { name: 'Go to' }).fill('bank')
  await page.getByRole('option', { name: /bank.*called by orders/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/s\/orders\/dependencies\/bank$/)
  await page.getByRole('heading', { name: 'Dependency bank' }).waitFor()
  await page.getByText('Breaker open in 1 of 3 processes').waitFor()
  await page.getByRole('region', { name: 'Breakers open' }).getByText('of 3 processes').waitFor()
  const broken = processes(page).getByRole('row').filter({ hasText: 'orders-3' })
  await broken.getByText('Open', { exact: true }).waitFor()
  await broken.getByText(/refuses more than the others/).waitFor()
  await page.getByText('adds up').waitFor()
  await page.getByRole('cell', { name: /Breaker open/ }).waitFor()
  await page.getByRole('region', { name: 'Policy of this dependency' }).getByText('12 calls').waitFor()
  expect(await flaws(page)).toEqual([])
})

it('a name that nobody knows is said with those that there are; one that the policy alone names has a page; addresses of before lead there', async () => {
  await page.goto(`${rig.weir.url}/e/prod/s/orders/gates/nope`)
  await page.getByText('orders has no gate called nope').waitFor()
  await page.getByRole('link', { name: 'spare' }).click()
  await page.getByRole('heading', { name: 'Gate spare' }).waitFor()
  await page.getByText('No live process reports it.').waitFor()
  await page.getByText('Nothing was heard in this time').first().waitFor()
  await page.getByRole('combobox', { name: 'Gate' }).selectOption('checkout')
  await page.getByRole('heading', { name: 'Gate checkout' }).waitFor()

  await page.goto(`${rig.weir.url}/e/prod/s/orders?gate=checkout&range=6h`)
  await page.waitForURL(/\/s\/orders\/gates\/checkout\?range=6h$/)
  await page.getByRole('heading', { name: 'Gate checkout' }).waitFor()
})

it('a gate whose figures cannot be read is not said to be unknown', async () => {
  const reads = (url: URL) => /\/(outcomes|reported)$/.test(url.pathname)
  await page.route(reads, (route) => route.fulfill({ status: 500, json: { title: 'Internal error', status: 500 } }))
  await page.goto(`${rig.weir.url}/e/prod/s/orders/gates/nope`)
  await page.getByRole('region', { name: 'Refused by reason' }).getByRole('alert').waitFor()
  expect(await page.getByText('has no gate called').count()).toBe(0)
  await page.unroute(reads)
})
