import { afterAll, beforeAll, expect, it } from 'vitest'
import { offBooksJson } from '../../control-plane/src/testing/otlp-sample.ts'
import { postMetrics } from '../../control-plane/src/testing/telemetry.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(() => rig.stop())

it('whose figures are wrong is said on the overview, and of which process and gate, by how much, one click further', async () => {
  const { key } = await rig.service('orders')
  const page = await rig.signedIn('viewer')
  await page.goto(`${rig.weir.url}/e/prod`)
  await page.getByRole('heading', { name: 'prod' }).waitFor()
  expect(await page.getByText('Some books do not add up').count()).toBe(0)

  expect((await postMetrics(rig.weir, key, offBooksJson('orders-1', 'checkout'))).status).toBe(200)
  await page.getByText('Some books do not add up').waitFor()
  expect(await flaws(page)).toEqual([])
  await page.getByText('Figures are wrong of').getByRole('link', { name: 'orders' }).click()

  const books = page.getByRole('region', { name: 'Books that do not add up' })
  await books.getByText('What 1 process counted is not what became of it').waitFor()
  const row = books.getByRole('row').nth(1)
  for (const words of ['orders-1', 'Arrivals', '2 missing']) await row.getByText(words).waitFor()
  expect(await flaws(page)).toEqual([])

  await row.getByRole('link', { name: 'checkout' }).click()
  await page.getByRole('heading', { name: 'Gate checkout' }).waitFor()
  await books.getByText('orders-1').waitFor()
  await books.getByRole('link', { name: 'What to do' }).click()
  await page.getByRole('dialog', { name: 'Runbook: Books do not add up' }).waitFor()

  await rig.weir.database.pool.query("UPDATE book_flaw SET last_at = now() - interval '31 s'")
  await page.goto(`${rig.weir.url}/e/prod/s/orders`)
  await books.getByText('They add up again').waitFor()
  await page.goto(`${rig.weir.url}/e/prod`)
  await page.getByRole('table', { name: 'Services' }).waitFor()
  expect(await page.getByText('Some books do not add up').count()).toBe(0)
})

it('of a thousand the first are shown, the others when asked for', async () => {
  await rig.service('payments')
  await rig.weir.database.pool.query(
    `INSERT INTO book_flaw (service_id, instance, gate, book, expected, told, windows)
    SELECT id, 'payments-' || lpad(n::text, 4, '0'), 'checkout', 'endings', 3, 10, n FROM service, generate_series(1, 1000) AS n WHERE name = 'payments'`,
  )
  const page = await rig.signedIn('viewer')
  await page.goto(`${rig.weir.url}/e/prod/s/payments`)
  const table = page.getByRole('table', { name: 'Books that do not add up' })
  await table.getByText('7 too many').first().waitFor()
  expect(await table.getAttribute('aria-rowcount')).toBe('5')
  await page.getByRole('button', { name: 'Show all 1,000' }).click()
  await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('1001')
  expect(await table.getByRole('row').count()).toBeLessThan(100)
})
