import { afterAll, beforeAll, expect, it } from 'vitest'
import { raising, record } from '../../control-plane/src/testing/alerts.ts'
import { httpSink } from '../../control-plane/src/testing/sinks.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start({ WEIR_PRIVATE_TARGETS: '127.0.0.1' })
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
  await page.waitForURL(/\/s\/orders\/gates\/checkout\?.*from=/)
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

it('a silence and a receiver are made, tested and seen', async () => {
  const hook = await httpSink()
  try {
    await record(rig.weir, await raising(rig.weir, 'prod', 'orders'))
    const page = await rig.signedIn('admin')
    await page.goto(`${rig.weir.url}/e/prod/alerts`)
    await page.getByRole('button', { name: 'Silence Sustained shedding of orders' }).click()
    const form = page.getByRole('dialog', { name: 'Silence Sustained shedding of orders' })
    await form.getByLabel('Reason').fill('Load test')
    expect(await flaws(page)).toEqual([])
    await form.getByRole('button', { name: 'Silence', exact: true }).click()
    await page.getByText('Silenced').waitFor()
    const tabs = page.getByRole('navigation', { name: 'Alerts' })
    await tabs.getByRole('link', { name: 'Silences' }).click()
    await page.getByRole('table', { name: 'Silences' }).getByText('sustained shedding, of orders').waitFor()
    expect(await flaws(page)).toEqual([])
    await page.getByRole('button', { name: /^End now/ }).click()
    await page.getByText('Ended').waitFor()

    await tabs.getByRole('link', { name: 'Receivers' }).click()
    await page.getByText('Nobody is told of alerts').waitFor()
    await page.getByRole('button', { name: 'Add a receiver' }).click()
    const add = page.getByRole('dialog', { name: 'Add a receiver' })
    await add.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'Webhook' }).click()
    await add.getByLabel('Name').fill('ours')
    await add.getByLabel('Address').fill(hook.url)
    expect(await flaws(page)).toEqual([])
    await add.getByRole('button', { name: 'Add receiver' }).click()
    await page.getByText('Copy the signing secret now').waitFor()
    await page.keyboard.press('Escape')
    const list = page.getByRole('table', { name: 'Receivers' })
    await list.getByText(hook.url).waitFor()
    await page.getByRole('button', { name: 'Test ours' }).click()
    await page.getByRole('dialog', { name: 'Test of ours' }).getByText('Delivered', { exact: true }).waitFor()
    expect(hook.heard.map(({ body }) => JSON.parse(body).kind)).toContain('test')
    await page.keyboard.press('Escape')
    expect(await flaws(page)).toEqual([])
  } finally {
    await hook.close()
  }
})

it('the times of a silence are typed in the zone that the page shows', async () => {
  await rig.service('moves')
  const page = await rig.signedIn('editor')
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' })
  await page.goto(`${rig.weir.url}/e/prod/alerts?tab=silences`)
  await page.getByRole('button', { name: 'Times are local. Show UTC' }).click()
  await page.getByRole('button', { name: 'Add a silence' }).click()
  const form = page.getByRole('dialog', { name: 'Add a silence' })
  await form.getByText('From, to').click()
  await form.getByLabel('From (UTC)').fill('2126-11-30T10:00')
  await form.getByLabel('To (UTC)').fill('2126-11-30T11:30')
  await form.getByLabel('Reason').fill('Move')
  expect(await flaws(page)).toEqual([])
  await form.getByRole('button', { name: 'Silence', exact: true }).click()
  await page.getByRole('table', { name: 'Silences' }).getByText('30 Nov 2126, 10:00:00 UTC').waitFor()
  const { body } = await rig.api('GET', '/api/v1/environments/prod/silences')
  expect(body.items[0]).toMatchObject({ from: '2126-11-30T10:00:00.000Z', to: '2126-11-30T11:30:00.000Z' })
})

it('of a thousand alerts every one is reached, and those of one service by its name', async () => {
  for (const name of ['quiet', 'loud']) await rig.service(name)
  const raise = await raising(rig.weir, 'prod', 'loud')
  const many = Array.from({ length: 1_000 }, (_, i) => ({
    ...raise,
    key: { ...raise.key, subject: `g${i}` },
    at: new Date(Date.now() - 3_600_000 - i * 1_000),
  }))
  await record(rig.weir, ...many)
  await record(rig.weir, ...many.slice(0, 500).map(({ key }) => ({ kind: 'resolve', key, at: new Date() }) as const))
  await record(rig.weir, await raising(rig.weir, 'prod', 'quiet'))

  const page = await rig.signedIn('viewer')
  await page.goto(`${rig.weir.url}/e/prod/alerts`)
  const loud = page.getByRole('region', { name: 'Alerts of loud that are firing' })
  await loud.getByText('199 alerts').or(loud.getByText('198 alerts')).waitFor()
  await page.getByRole('region', { name: 'Alerts of quiet that are firing' }).waitFor()
  expect(await flaws(page)).toEqual([])

  await page.getByRole('combobox', { name: 'Service' }).click()
  await page.getByRole('option', { name: 'loud' }).click()
  await page.getByText('Firing', { exact: true }).first().click()
  await page.getByRole('region', { name: 'Alerts of quiet that are firing' }).waitFor({ state: 'detached' })
  for (const shown of [200, 400, 500]) {
    await loud.getByText(`${shown} alerts`).waitFor()
    if (shown < 500) await page.getByRole('button', { name: 'Show older' }).click()
  }
  await page.getByRole('button', { name: 'Show older' }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('?state=firing&service=loud')
  const tab = page.getByRole('navigation', { name: 'Alerts' }).getByRole('link', { name: 'Alerts' })
  expect(await tab.getAttribute('aria-current')).toBe('page')

  await page.goto(`${rig.weir.url}/e/prod/alerts?state=resolved&service=loud`)
  const resolved = page.getByRole('table', { name: 'Alerts that were resolved' })
  await resolved.getByText('g0', { exact: true }).waitFor()
  // The end moves while rows come.
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 100_000)
      return resolved.getByText('g499', { exact: true }).count()
    })
    .toBe(1)
  expect(await resolved.getAttribute('aria-rowcount')).toBe('501')
  expect(await resolved.getByRole('row').count()).toBeLessThan(100)
  expect(await flaws(page)).toEqual([])
})
