import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeLargeFleet } from '../../control-plane/src/testing/large-fleet.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
  await rig.api('POST', '/api/v1/environments', { name: 'prod' })
  await writeLargeFleet(rig.weir.databaseUrl, 'prod', { services: 500, agents: 10_000 })
}, 120_000)
afterAll(() => rig.stop())

/** Paths of the API that were asked for, without the environment. */
const asked = (page: Page): string[] => {
  const paths: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/v1/environments/prod/')) paths.push(`${pathname.slice(26)}${search}`)
  })
  return paths
}

/** The end moves while rows come that are taller than was thought. */
const atTheEnd = (page: Page, row: Locator) =>
  expect
    .poll(
      async () => {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
        return row.count()
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0)

it('of 10,000 agents those come first that need a look, a page at a time, any place is a scroll away', async () => {
  const page = await rig.signedIn('viewer')
  const paths = asked(page)
  await page.goto(`${rig.weir.url}/e/prod/agents`)
  const table = page.getByRole('table', { name: 'Agents' })
  await table.getByText('Refused').first().waitFor()
  await page.getByText('10,000 agents, what needs a look first').waitFor()
  expect(await page.getByRole('row').count()).toBeLessThan(60)
  expect(await flaws(page)).toEqual([])

  await atTheEnd(page, table.getByText('svc-498-09998'))
  expect(await page.getByRole('row').count()).toBeLessThan(60)
  const lists = paths.filter((path) => path.startsWith('agents?'))
  expect(lists.every((path) => path.includes('limit=50'))).toBe(true)
  expect(new Set(lists.map((path) => new URLSearchParams(path).get('offset'))).size).toBeLessThan(8)

  await page.evaluate('scrollTo(0, 0)')
  await page.getByRole('button', { name: 'Outside of what is counted 20' }).click()
  await table.getByText('svc-007-00007').waitFor()
  await table.getByText('not counted').first().waitFor()
  await page.getByText('20 agents, what needs a look first').waitFor()
  await page.getByLabel('Search agents').fill('host-63')
  await page.getByText('1 agent found').waitFor()
  await table.getByText('svc-007-00507').waitFor()
  expect(await flaws(page)).toEqual([])

  await page.goto(`${rig.weir.url}/e/prod/s/svc-007/quotas`)
  await page.getByText('20 agents outside of what is counted').waitFor()
  expect(await flaws(page)).toEqual([])
  await page.getByRole('link', { name: 'Which ones' }).click()
  await page.getByRole('table', { name: 'Agents' }).getByText('not counted').first().waitFor()
})

it('of 500 services the navigation begins with those that need attention, and the server finds the rest', async () => {
  const page = await rig.signedIn('viewer')
  const paths = asked(page)
  await page.goto(`${rig.weir.url}/e/prod/alerts`)
  const menu = page.getByRole('navigation', { name: 'Services' })
  await menu.getByRole('link', { name: /svc-000 sheds/ }).waitFor()
  await menu.getByRole('link', { name: /svc-400 sheds/ }).waitFor()
  await menu.getByRole('link', { name: '486 more' }).waitFor()
  expect(await menu.getByRole('link').count()).toBe(15)
  await menu.getByLabel('Find a service').fill('svc-42')
  await menu.getByRole('link', { name: 'svc-427' }).click()
  await page.getByRole('heading', { name: 'svc-427' }).waitFor()
  await menu.getByRole('link', { name: 'svc-427' }).waitFor()

  await page.keyboard.press('Control+K')
  await page.getByRole('textbox', { name: 'Go to' }).fill('svc-313')
  await page.getByRole('option', { name: /svc-313/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'svc-313' }).waitFor()
  expect(paths.filter((path) => /limit=1000/.test(path))).toEqual([])

  await page.goto(`${rig.weir.url}/e/prod?services=all`)
  await page.getByText('of 10,000 live agents, 100 refused part of it').waitFor()
  await atTheEnd(page, page.getByRole('table', { name: 'Services' }).getByRole('link', { name: 'svc-498' }))
  expect(await page.getByRole('table', { name: 'Services' }).getByRole('row').count()).toBeLessThan(60)
  expect(await flaws(page)).toEqual([])
})
