import { afterAll, beforeAll, expect, it } from 'vitest'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(() => rig.stop())

const MANY = 120

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
