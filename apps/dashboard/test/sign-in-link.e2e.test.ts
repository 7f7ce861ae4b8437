import { afterAll, beforeAll, expect, it } from 'vitest'
import { PrismaSignInLinkStore } from '../../control-plane/src/adapters/prisma/access-sign-in-links.ts'
import { SignInLinks, signInLink } from '../../control-plane/src/features/access/sign-in-link.ts'
import { makeOperator } from '../../control-plane/src/testing/people.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(() => rig.stop())

const link = async (): Promise<string> => {
  const { email } = await makeOperator(rig.weir, 'viewer')
  const made = await new SignInLinks(new PrismaSignInLinkStore(rig.weir.database), Date.now).make(email, 'test')
  if (!made.ok) throw new Error(made.refusal.detail)
  return signInLink(rig.weir.url, made.value.token)
}

it('a sign-in link leads to the overview, leaves the address bar and the history, and works once', async () => {
  const once = await link()
  const page = await rig.page()
  await page.goto('about:blank')
  await page.goto(once)
  await page.getByRole('heading', { name: 'Welcome to Weir' }).waitFor()
  await expect.poll(() => page.url()).not.toContain('#')
  await page.goBack()
  await expect.poll(() => page.url()).toBe('about:blank')

  const other = await rig.page()
  await other.goto(once)
  await other.getByRole('alert').getByText('was used').waitFor()
  await expect.poll(() => other.url()).toBe(`${rig.weir.url}/sign-in`)
  await other.getByLabel('Email').waitFor()
  expect(await flaws(other)).toEqual([])
})

it('a link works where the sign-in page is open already, also after one that did not', async () => {
  const page = await rig.page()
  await page.goto(`${rig.weir.url}/sign-in?to=/e/prod/alerts`)
  await page.getByLabel('Email').waitFor()
  await page.evaluate("location.hash = 'nonsense'")
  await page.getByRole('alert').getByText('not one of ours').waitFor()
  const { hash } = new URL(await link())
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await page.waitForURL(`${rig.weir.url}/e/prod/alerts`)
})
