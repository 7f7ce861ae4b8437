import { afterAll, beforeAll, expect, it } from 'vitest'
import { AlertBook } from '../../control-plane/src/features/alerts/alert-book.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(() => rig.stop())

it('an alert is shown firing with its share, then resolved', async () => {
  await rig.service('orders')
  const page = await rig.signedIn('viewer')
  await page.goto(`${rig.weir.url}/e/prod/alerts`)
  await page.getByText('No alert is firing').waitFor()
  expect(await flaws(page)).toEqual([])

  const book = rig.weir.app.get(AlertBook)
  const [orders] = await book.watched()
  if (orders === undefined) throw new Error('The service is not watched.')
  const { id } = await book.raise(orders, 0.42, new Date())
  await page.reload()
  const firing = page.getByRole('table', { name: 'Alerts that are firing' })
  await firing.getByText('42 %').first().waitFor()
  await page.getByRole('link', { name: /1 firing/ }).waitFor()
  expect(await flaws(page)).toEqual([])

  await book.resolve(id, new Date())
  await page.reload()
  await page.getByRole('table', { name: 'Alerts that were resolved' }).getByText('Resolved').waitFor()
  await page.getByText('No alert is firing').waitFor()
})
