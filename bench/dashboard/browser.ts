import { gzipSync } from 'node:zlib'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'

/** A page in which an operator is signed in, by a one-time link. Tall enough for all charts of a service. */
export const signedIn = async (browser: Browser, link: string): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 2_600 } })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('banner').waitFor()
  return page
}

/** Kilobytes of JavaScript, gzipped, that had come when the first chart stood: on an empty cache. */
export const scriptBeforeFirstChart = async (page: Page, url: string): Promise<number> => {
  const fresh = await page.context().newPage()
  const scripts: Promise<number>[] = []
  fresh.on('response', (response) => {
    if (/\.js(\?|$)/.test(response.url())) scripts.push(response.body().then((body) => gzipSync(body).length))
  })
  const client = await fresh.context().newCDPSession(fresh)
  await client.send('Network.enable')
  await client.send('Network.setCacheDisabled', { cacheDisabled: true })
  await fresh.goto(url)
  await fresh.locator('figure canvas').first().waitFor()
  const sizes = await Promise.all(scripts)
  await fresh.close()
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000
}

/** What axe holds for serious or worse on each page, in both themes and two widths. */
export const violations = async (page: Page, urls: readonly string[]): Promise<string[]> => {
  const found: string[] = []
  for (const url of urls) {
    await page.goto(url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    for (const theme of ['light', 'dark'] as const)
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
        await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor({ state: 'attached' })
        const answer = await new AxeBuilder({ page }).analyze()
        for (const { id, impact } of answer.violations)
          if (impact === 'serious' || impact === 'critical') found.push(`${url}, ${theme}, ${width}: ${id}`)
      }
  }
  return found
}
