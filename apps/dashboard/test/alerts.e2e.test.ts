import { afterAll, beforeAll, expect, it } from 'vitest'
import { raising, record } from '../../control-plane/src/testing/alerts.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(() => rig.stop())

it('an alert is shown firing with why and what to do, then resolved; a rule is edited', async () => {
  await rig.service('orders')
  const page = await rig.signedIn('editor')
  await page.goto(`${rig.weir.url}/e/prod/alerts`)
  await page.getByText('No alert is firing').waitFor()
  expect(await flaws(page)).toEqual([])

  const raise = await raising(rig.weir, 'prod', 'orders')
  await record(rig.weir, raise)
  await page.reload()
  const group = page.getByRole('region', { name: 'Alerts of orders that are firing' })
  await group.getByText('42 % of 200/s are refused.').waitFor()
  await group.getByText('Ticket').waitFor()
  await page.getByRole('link', { name: /1 firing/ }).waitFor()
  expect(await flaws(page)).toEqual([])

  await group.getByRole('link', { name: 'Runbook' }).click()
  await page.getByRole('dialog', { name: 'Runbook: Sustained shedding' }).getByText('What it means').waitFor()
  expect(new URL(page.url()).searchParams.get('runbook')).toBe('sustained-shedding')
  expect(await flaws(page)).toEqual([])
  await page.keyboard.press('Escape')
  await group.getByRole('link', { name: 'Figures' }).click()
  await page.waitForURL(/\/s\/orders\?.*gate=checkout/)
  expect(new URL(page.url()).searchParams.get('from')).not.toBeNull()

  await record(rig.weir, { kind: 'resolve', key: raise.key, at: new Date() })
  await page.goto(`${rig.weir.url}/e/prod/alerts`)
  await page.getByRole('table', { name: 'Alerts that were resolved' }).getByText('Sustained shedding').waitFor()
  await page.getByText('No alert is firing').waitFor()

  await page.getByRole('navigation', { name: 'Alerts' }).getByRole('link', { name: 'Rules' }).click()
  await page.getByRole('button', { name: 'Edit the rule Collapse' }).click()
  const form = page.getByRole('dialog', { name: 'Rule: Collapse' })
  await form.getByLabel('Missing goodput').fill('70')
  await form.getByLabel('Must hold for').fill('1')
  await form.getByLabel('Reason').fill('Less nervous')
  expect(await flaws(page)).toEqual([])
  await form.getByRole('button', { name: 'Save rule' }).click()
  await form.getByText('document.rules.collapse.forSeconds').waitFor()
  await form.getByLabel('Must hold for').fill('20')
  await form.getByRole('button', { name: 'Save rule' }).click()
  await page.getByText(/Version 1 by/).waitFor()
  await page.getByRole('table', { name: 'Alert rules' }).getByText('70 %').waitFor()
  expect(await flaws(page)).toEqual([])
})
