import { afterAll, beforeAll, expect, it } from 'vitest'
import { Weir } from '../../agent/src/index.ts'
import { olderAgent } from './older-agent.testkit.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
const agents: { close(): unknown }[] = []
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()))
  await rig.stop()
})

it('agents show what they run against what was intended, why they refused, and an override in red', async () => {
  const { base, key } = await rig.service('orders')
  await rig.publish(base, 'gates:\n  checkout:\n    concurrency: { algorithm: vegas, initial: 14 }\n', 'Adaptive')
  const common = { controlPlane: rig.weir.url.replace('http', 'ws'), key, snapshotDir: false as const }
  for (const [instance, mode] of [
    ['orders-1', undefined],
    ['orders-2', 'observe'],
  ] as const) {
    const agent = await Weir.start({ ...common, instance, ...(mode === undefined ? {} : { mode }) })
    agent.gate('checkout')
    agents.push(agent)
  }
  agents.push(olderAgent(common.controlPlane, key, 'orders-0'))
  const page = await rig.signedIn('viewer')
  await page.goto(`${rig.weir.url}/e/prod/s/orders/agents`)
  const table = page.getByRole('table', { name: 'Agents' })
  await table.getByText('orders-1').waitFor()
  await table.getByText('runs revision 1, intended 1').first().waitFor()
  await table.getByText('WEIR_MODE=observe').waitFor()
  await page.getByText('(14 × 2)').waitFor()
  await table
    .getByText(/Why: 1 problem/)
    .first()
    .click()
  await table.getByText(/vegas/).first().waitFor()
  expect(await flaws(page)).toEqual([])

  await page.goto(`${rig.weir.url}/e/prod/agents`)
  await page.getByLabel('Search agents').fill('orders-2')
  await page.getByText('1 agent found').waitFor()
  await expect.poll(() => page.url()).toContain('search=orders-2')
})

it('the service’s page says how far consumers are behind, and what the rule does about it now', async () => {
  const { base, key } = await rig.service('shop')
  const policy = `
gates: { checkout: {}, mails: { concurrency: 2 } }
tenants: { default: { rate: 100 } }
feedback: { mails: { resource: checkout, stepSeconds: 1 } }`
  await rig.publish(base, policy, 'begin')
  const controlPlane = rig.weir.url.replace(/^http/, 'ws')
  const weir = await Weir.start({ controlPlane, key, snapshotDir: false, telemetry: 'off' })
  agents.push(weir)
  const consumer = weir.consumer('mails', 'mails')
  const page = await rig.signedIn('viewer')
  await page.goto(`${rig.weir.url}/e/prod/s/shop`)
  const feedback = page.getByRole('region', { name: 'Feedback' })
  await feedback.getByText('Quotas of checkout whole').waitFor()
  consumer.measured(600_000)
  await feedback.getByText(/Quotas of checkout at [\d.]+ %/).waitFor()
  await feedback.getByText(/1 consumer of mails, 10 min behind; smaller from 60 s, back from 15 s/).waitFor()
  await page
    .getByRole('region', { name: 'Consumers' })
    .getByText(/behind, 0 running, 0 in hand/)
    .waitFor()
  expect(await flaws(page)).toEqual([])
})
