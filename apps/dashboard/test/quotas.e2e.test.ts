import { afterAll, beforeAll, expect, it } from 'vitest'
import { Weir } from '../../agent/src/index.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
const undo: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(async () => {
  await Promise.all(undo.map((step) => step()))
  await rig.stop()
})

const MANY = 120
const LEASED = 80

it('a quota among many is found, edited with a reason, and kept from being written over unseen', async () => {
  const { base } = await rig.service('orders')
  const path = (n: number) => `${base}/quotas/checkout/tenant-${String(n).padStart(4, '0')}`
  const put = (n: number, rate: number, headers: Record<string, string>) =>
    rig.api('PUT', path(n), { quota: { rate }, reason: 'import' }, headers)
  for (let n = 0; n < MANY; n += 20)
    await Promise.all(Array.from({ length: 20 }, (_, i) => put(n + i, 10, { 'if-none-match': '*' })))
  const page = await rig.signedIn('editor')
  await page.goto(`${rig.weir.url}/e/prod/s/orders/quotas`)
  await page.getByText(`${MANY} quotas`).waitFor()
  await page.getByText(/lease parts of it by what they want, never more/).waitFor()
  await page.getByText('Nothing is leased at present').waitFor()
  const rows = await page.getByRole('row').count()
  expect(rows).toBeGreaterThan(5)
  expect(rows).toBeLessThan(60)
  expect(await flaws(page)).toEqual([])

  await page.getByLabel('Search quotas').fill('tenant-0103')
  await page.getByText('1 quota', { exact: true }).waitFor()
  await expect.poll(() => page.url()).toContain('search=tenant-0103')
  await page.getByRole('button', { name: 'Edit tenant-0103 on checkout' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Rate per second').fill('25')
  await dialog.getByLabel('Reason').fill('Bought a larger plan')
  const { headers } = await rig.api('GET', path(103))
  await put(103, 99, { 'if-match': headers.get('etag') ?? '' })
  await dialog.getByRole('button', { name: 'Save quota' }).click()
  await dialog.getByText(/changed this quota meanwhile to: rate 99/).waitFor()
  await expect.poll(() => dialog.getByLabel('Rate per second').inputValue()).toBe('25')
  await dialog.getByRole('button', { name: 'Save quota' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect((await rig.api('GET', path(103))).body).toMatchObject({ rate: 25 })
})

it('what of each quota is leased is read at a glance: what is short, what each agent may use, what is left without the control plane', async () => {
  const { base, key } = await rig.service('leasing')
  await rig.publish(base, 'gates: { checkout: {} }\ntenants: { expiry: hold, holdSeconds: 30 }', 'begin')
  const tenants = Array.from({ length: LEASED }, (_, n) => `leased-${String(n).padStart(3, '0')}`)
  for (const tenant of tenants) {
    const body = { quota: { rate: 10 }, reason: 'import' }
    await rig.api('PUT', `${base}/quotas/checkout/${tenant}`, body, { 'if-none-match': '*' })
  }
  const controlPlane = rig.weir.url.replace(/^http/, 'ws')
  const weir = await Weir.start({ controlPlane, key, instance: 'leasing-1', snapshotDir: false, telemetry: 'off' })
  const load = setInterval(() => {
    for (const tenant of tenants) {
      const entry = weir.gate('checkout').tryAcquire({ tenant })
      if (entry.accepted) entry.success()
    }
  }, 60)
  undo.push(async () => {
    clearInterval(load)
    await weir.close()
  })
  const page = await rig.signedIn('viewer')
  await page.goto(`${rig.weir.url}/e/prod/s/leasing/quotas`)
  const table = page.getByRole('table', { name: 'Leases' })
  await table.getByText('leased-000').waitFor()
  await table.getByTitle('More than is granted').first().waitFor()
  await page.getByText('Leases are held for 30 s past their end').waitFor()
  expect(await table.getByRole('row').count()).toBeLessThan(LEASED)
  expect(await flaws(page)).toEqual([])
  await table.getByRole('button', { name: '1 agent with parts of leased-000 on checkout, rate' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('leasing-1').waitFor()
  await dialog.getByText('leased', { exact: true }).waitFor()
  expect(await flaws(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByText('Without the control plane', { exact: true }).click()
  await table
    .getByText(/outside the bound/)
    .first()
    .waitFor()
  expect(await flaws(page)).toEqual([])
})
