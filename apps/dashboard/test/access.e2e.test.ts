import { afterAll, beforeAll, expect, it } from 'vitest'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(() => rig.stop())

it('a key is made, its secret is shown once, and it is revoked; tokens, operators and the audit are there', async () => {
  await rig.service('orders')
  const page = await rig.signedIn('admin')
  await page.goto(`${rig.weir.url}/access/keys`)
  await page.getByRole('navigation', { name: 'Services' }).getByRole('link', { name: 'orders' }).waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('canary')
  await page.getByRole('dialog').getByRole('combobox', { name: 'Service' }).click()
  await page.getByRole('option', { name: 'orders' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const secret = (await page.getByRole('dialog').locator('code, pre').first().textContent())?.trim() ?? ''
  expect(secret.length).toBeGreaterThan(30)
  await page.keyboard.press('Escape')
  await page.reload()
  await page.getByRole('button', { name: 'Revoke the key canary' }).waitFor()
  expect(await page.content()).not.toContain(secret)
  expect(await flaws(page)).toEqual([])
  await page.getByRole('button', { name: 'Revoke the key canary' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('button', { name: 'Revoke the key canary' }).waitFor({ state: 'detached' })

  for (const [tab, heading] of [
    ['API tokens', 'API tokens'],
    ['Operators', 'Operators'],
    ['Audit', 'Audit'],
  ] as const) {
    await page.getByRole('link', { name: tab }).click()
    await page.getByRole('heading', { name: heading }).waitFor()
    expect(await flaws(page)).toEqual([])
  }
})

it('a viewer sees no administration', async () => {
  const page = await rig.signedIn('viewer')
  expect(await page.getByRole('link', { name: 'Access' }).count()).toBe(0)
  await page.goto(`${rig.weir.url}/access/keys`)
  await page.getByText('This page is for admins').waitFor()
})
