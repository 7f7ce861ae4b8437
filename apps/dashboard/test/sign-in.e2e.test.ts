import { afterAll, beforeAll, expect, it } from 'vitest'
import { OperatorStore } from '../../control-plane/src/features/access/operators.ts'
import { announceSetup } from '../../control-plane/src/features/access/setup-announcement.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(() => rig.stop())

it('the set-up link makes the first operator, who can sign out and in again; a wrong password is said', async () => {
  const printed: string[] = []
  await announceSetup(rig.weir.app.get(OperatorStore), {
    baseUrl: rig.weir.url,
    dataFolder: rig.weir.config.dataFolder,
    terminal: true,
    print: (line) => printed.push(line),
    now: Date.now,
  })
  const link = /http\S+/.exec(printed[0] ?? '')?.[0] ?? ''
  const page = await rig.page()
  await page.goto(link)
  await page.getByLabel('Your name').fill('Ana')
  await page.getByLabel('Email').fill('ana@weir.test')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await expect.poll(() => page.url()).not.toContain('#')
  expect(await flaws(page)).toEqual([])
  await page.getByRole('button', { name: 'Create the first operator' }).click()
  await page.getByRole('heading', { name: 'Welcome to Weir' }).waitFor()

  await page.getByRole('button', { name: 'Account of Ana' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByLabel('Email').fill('ana@weir.test')
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  expect(await flaws(page)).toEqual([])
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Welcome to Weir' }).waitFor()
})

it('a page asked for without a session comes after the sign-in', async () => {
  const page = await rig.page()
  await page.goto(`${rig.weir.url}/e/prod/alerts`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(new URL(page.url()).searchParams.get('to')).toContain('/e/prod/alerts')
})
