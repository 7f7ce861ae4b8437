import { afterAll, beforeAll, expect, it } from 'vitest'
import { metricsJson } from '../../control-plane/src/testing/otlp-sample.ts'
import { post } from '../../control-plane/src/testing/telemetry.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(() => rig.stop())

const COUNTS = { offered: 1_000, accepted: 700, shed: 250, expired: 50, completed: 690, failed: 10 }

/** One window of 10 s that ends now, as an agent would send it. */
const deliver = async (key: string, service: string, sequence: number): Promise<void> => {
  const endMs = Date.now() - 500
  const work = { 'weir.gate': 'checkout', 'weir.class': 'critical', 'weir.tenant': 'acme', 'weir.edge': true }
  const call = { 'weir.dependency': 'bank' }
  const reasons: Record<string, string> = { shed: 'limit-reached', expired: 'expired-in-queue' }
  const answer = await post(
    rig.weir,
    '/v1/metrics',
    key,
    JSON.stringify(
      metricsJson({
        resource: {
          'service.name': service,
          'service.instance.id': `${service}-1`,
          'weir.figures': 'metrics',
          'weir.boot': 'boot-1',
          'weir.sequence': sequence,
        },
        startMs: endMs - 10_000,
        endMs,
        counters: [
          ...Object.entries(COUNTS).map(([figure, n]): readonly [string, number, Record<string, string | boolean>] => [
            `weir.gate.${figure}`,
            n,
            figure in reasons ? { ...work, 'weir.reason': reasons[figure] ?? '' } : work,
          ]),
          ['weir.dependency.calls', 40, call],
          ['weir.dependency.attempts', 44, call],
          ['weir.dependency.retries', 4, call],
        ],
        gauges: [
          ['weir.gate.limit', 20, { 'weir.gate': 'checkout' }],
          ['weir.gate.active', 5, { 'weir.gate': 'checkout' }],
        ],
      }),
    ),
  )
  if (answer.status !== 200) throw new Error(`OTLP: ${answer.status}`)
}

it('the overview shows what agents sent, live and from history, and that the figures add up', async () => {
  const { key } = await rig.service('orders')
  const page = await rig.signedIn()
  await page.goto(`${rig.weir.url}/e/prod`)
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await flaws(page)).toEqual([])
  await deliver(key, 'orders', 1)
  await page.reload()
  await page.getByText('adds up').first().waitFor()
  await expect.poll(() => page.locator('[data-term="offered"]').first().textContent()).toBe('1,000')
  await page.getByText('30 %').first().waitFor()
  expect(await flaws(page)).toEqual([])

  await page.getByText('6 h', { exact: true }).click()
  await page.getByText('one point = 10 seconds').waitFor()
  await expect.poll(() => page.url()).toContain('range=6h')
  await expect.poll(() => page.locator('[data-term="offered"]').first().textContent()).toBe('1,000')

  await page.getByRole('link', { name: 'orders' }).first().click()
  await page.getByRole('heading', { name: 'Refused by reason' }).waitFor()
  await page.getByRole('cell', { name: /All slots taken/ }).waitFor()
  await page.getByRole('heading', { name: 'Dependency bank' }).waitFor()
  expect(await flaws(page)).toEqual([])
  await page.getByText('Tenant', { exact: true }).first().click()
  await page.getByRole('cell', { name: 'acme' }).waitFor()
  await expect.poll(() => page.url()).toContain('by=tenant')
})

it('figures arrive without a reload', async () => {
  const { key } = await rig.service('search')
  const page = await rig.signedIn('viewer')
  await page.goto(`${rig.weir.url}/e/prod/s/search`)
  await page.getByText('Live', { exact: true }).waitFor()
  await deliver(key, 'search', 1)
  await page.getByText('adds up').first().waitFor()
})

it('a lost live socket is said honestly, and history stands in for it', async () => {
  const { key } = await rig.service('catalogue')
  const page = await rig.signedIn('viewer')
  await page.routeWebSocket(/\/api\/v1\/live/, (socket) => void socket.close())
  await page.goto(`${rig.weir.url}/e/prod/s/catalogue`)
  await page.getByText(/figures are read from history every 5 seconds/).waitFor()
  await deliver(key, 'catalogue', 1)
  await page.getByText('adds up').first().waitFor()
  expect(await flaws(page)).toEqual([])
})

it('what could not be read is not said to be nothing', async () => {
  await rig.service('billing')
  const page = await rig.signedIn('viewer')
  const reads = (url: URL) => /\/(outcomes|decisions)$/.test(url.pathname)
  await page.route(reads, (route) => route.fulfill({ status: 500, json: { title: 'Internal error', status: 500 } }))
  await page.goto(`${rig.weir.url}/e/prod/s/billing`)
  const why = page.getByRole('region', { name: 'Refused by reason' })
  await why.getByRole('alert').waitFor()
  await page.getByRole('region', { name: 'Why was it refused' }).getByRole('alert').waitFor()
  expect(await page.getByText(/Nothing was refused|No refusal was sampled/).count()).toBe(0)
  await page.unroute(reads)
  await why.getByRole('button', { name: 'Try again' }).click()
  await why.getByText('Nothing was refused in this time.').waitFor()
})
