import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { record } from '../../control-plane/src/testing/recorded.ts'
import { flaws, Rig } from './rig.testkit.ts'

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start()
})
afterAll(() => rig.stop())

const DOCUMENT = '# kept\ngates:\n  checkout:\n    concurrency: 20\n    queue:\n      maxWaitMs: 250\n'

const open = async (name: string): Promise<{ page: Page; base: string }> => {
  const { base } = await rig.service(name)
  await rig.publish(base, DOCUMENT, 'First limits')
  const page = await rig.signedIn('editor')
  await page.goto(`${rig.weir.url}/e/prod/s/${name}/policy`)
  await page.getByLabel('Policy document').waitFor()
  return { page, base }
}
const text = async (page: Page): Promise<string> => (await page.locator('.cm-line').allTextContents()).join('\n')
const write = async (page: Page, document: string): Promise<void> => {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(document)
}
const published = async (base: string): Promise<{ version: number; document: string }> => {
  const { body } = await rig.api('GET', `${base}/policy`)
  return { version: body.version, document: body.published.document }
}

it('an edit in the form shows in the document, its effect is said before it is published with its reason', async () => {
  const { page, base } = await open('orders')
  // Sixteen slots' worth of work: twelve cannot do it.
  await record(rig.weir, { service: 'orders', seconds: 300, perSecond: 80, ms: 200 })
  await page.getByLabel('Limit', { exact: true }).fill('12')
  await expect.poll(() => text(page)).toContain('concurrency: 12')
  expect(await flaws(page)).toEqual([])
  await page.getByRole('button', { name: 'Review and publish' }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByText(/20.*12/)
    .first()
    .waitFor()
  await dialog.getByRole('alert').getByText('would shed much more').waitFor()
  await dialog.getByText(/checkout would shed \d+ % of all work, where the live policy sheds/).waitFor()
  // The dialog may still be on its way in.
  await expect.poll(() => flaws(page)).toEqual([])
  await dialog.getByLabel('Reason').fill('Payments are slow')
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Version 2 is published').waitFor()
  expect(await published(base)).toEqual({ version: 2, document: DOCUMENT.replace('20', '12') })

  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('button', { name: 'View or roll back' }).click()
  expect(await flaws(page)).toEqual([])
  await page.getByRole('dialog').getByLabel('Reason for rolling back').fill('It was a false alarm')
  await page.getByRole('button', { name: 'Roll back to version 1' }).click()
  await page.getByText('Rolled back to version 1').waitFor()
  expect(await published(base)).toEqual({ version: 3, document: DOCUMENT })
})

it('five mistakes are five problems with their paths, and choosing one leads to its line', async () => {
  const { page } = await open('search')
  await write(
    page,
    [
      'gates:',
      '  a:',
      '    concurency: 5',
      '    concurrency: { floor: 5, initial: 2, ceiling: 9 }',
      '    classes: { reserves: { critical: 0.9, sheddable: 0.2 } }',
      'dependencies:',
      '  b: { timeoutMs: "3s", retry: { maxAttempts: 9 } }',
    ].join('\n'),
  )
  const document = page.getByRole('region', { name: 'Policy as a document' })
  await document.getByText('5 problems').waitFor()
  for (const path of [
    'gates.a.concurency',
    'gates.a.concurrency.floor',
    'gates.a.classes.reserves',
    'dependencies.b.timeoutMs',
  ])
    await expect.poll(() => document.getByText(path, { exact: true }).count()).toBe(1)
  await expect.poll(() => page.getByRole('button', { name: 'Review and publish' }).isDisabled()).toBe(true)
  await document.getByRole('button', { name: /reserves/ }).click()
  await expect.poll(() => page.locator('.cm-activeLine').textContent()).toContain('reserves')
})

it('who is second keeps the text, sees what the other did, and puts the change on top of it', async () => {
  const { page, base } = await open('payments')
  await page.getByLabel('Limit', { exact: true }).fill('15')
  await page.getByRole('button', { name: 'Review and publish' }).click()
  await page.getByText('Too little work was offered in the last hour').waitFor()
  await page.getByRole('dialog').getByLabel('Reason').fill('mine')
  await rig.publish(base, DOCUMENT.replace('250', '400'), 'theirs')
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Somebody else published version 2 while you edited').waitFor()
  await expect.poll(() => text(page)).toContain('concurrency: 15')

  await page.reload()
  await page.getByText('Somebody else published version 2 while you edited').waitFor()
  await expect.poll(() => text(page)).toContain('concurrency: 15')
  expect(await flaws(page)).toEqual([])

  await page.getByRole('button', { name: 'Compare' }).click()
  await page
    .getByRole('dialog')
    .getByText(/250.*400/)
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Put my changes on top of version 2' }).click()
  const merged = DOCUMENT.replace('20', '15').replace('250', '400')
  await expect.poll(async () => (await text(page)).trim()).toBe(merged.trim())
  await page.getByRole('button', { name: 'Review and publish' }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('mine on top of theirs')
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Version 3 is published').waitFor()
  expect((await published(base)).document).toBe(merged)
})

it('an unpublished text is there again after a reload', async () => {
  const { page } = await open('catalogue')
  await write(page, 'gates:\n  browse: {}\n')
  await page.reload()
  await page.getByText(/Your unpublished text/).waitFor()
  await expect.poll(() => text(page)).toContain('browse')
})
