import { AxeBuilder } from '@axe-core/playwright'
import type { Role } from '@weir/api'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { vi } from 'vitest'
import { openBrowser } from '../../../tools/chromium.ts'
import { startTestApp, type TestApp } from '../../control-plane/src/testing/harness.ts'
import { makeOperator, makeToken, PASSWORD } from '../../control-plane/src/testing/people.ts'

/** A whole path through a page, with axe in both themes at each stop, on a busy machine. */
vi.setConfig({ testTimeout: 240_000 })

const DASHBOARD = new URL('../dist', import.meta.url).pathname
/** Long enough for a busy machine, short enough to say which step it was. */
const STEP_MS = 20_000

/** The control plane with the real sign-in, serving the dashboard as built, and a browser in front of it. */
export class Rig {
  private constructor(
    readonly weir: TestApp,
    readonly browser: Browser,
    private readonly token: string,
  ) {}

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<Rig> {
    const weir = await startTestApp({ realIdentity: true, environment: { WEIR_DASHBOARD: DASHBOARD, ...environment } })
    const browser = await openBrowser()
    return new Rig(weir, browser, (await makeToken(weir, 'admin')).secret)
  }

  /** A request to REST as an admin's script would make it. */
  async api(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const answer = await this.weir.call(method, path, {
      as: null,
      body,
      headers: { authorization: `Bearer ${this.token}`, ...headers },
    })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer
  }

  /** An environment `prod` with a service and its agent key. */
  async service(name: string): Promise<{ base: string; key: string }> {
    await this.api('POST', '/api/v1/environments', { name: 'prod' }).catch(() => {})
    await this.api('POST', '/api/v1/environments/prod/services', { name })
    const made = await this.api('POST', '/api/v1/environments/prod/keys', { name, services: [name] })
    return { base: `/api/v1/environments/prod/services/${name}`, key: made.body.secret }
  }

  async publish(base: string, document: string, reason: string): Promise<void> {
    const { headers } = await this.api('GET', `${base}/policy`)
    await this.api('POST', `${base}/policy/publish`, { document, reason }, { 'if-match': headers.get('etag') ?? '' })
  }

  /** A browser in which an operator of that role has signed in through the page. */
  async signedIn(role: Role = 'admin', theme: 'light' | 'dark' = 'light'): Promise<Page> {
    const { email } = await makeOperator(this.weir, role)
    const page = await this.page(theme)
    await page.goto(`${this.weir.url}/sign-in`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('banner').waitFor()
    return page
  }

  async page(theme: 'light' | 'dark' = 'light', width = 1280): Promise<Page> {
    const context: BrowserContext = await this.browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: theme,
    })
    context.setDefaultTimeout(STEP_MS)
    return context.newPage()
  }

  async stop(): Promise<void> {
    await this.browser.close()
    await this.weir.close()
  }
}

/** What is seen for a frame on the way to another theme is nobody's to read. */
const AT_REST = `(async () => {
  const frame = () => new Promise(requestAnimationFrame)
  do { await frame(); await frame() } while (document.getAnimations().some(({ playState }) => playState === 'running'))
})()`

/** What axe holds for serious or worse, in both themes, and that a narrow screen needs no sideways scrolling of the page. */
export const flaws = async (page: Page): Promise<string[]> => {
  const found: string[] = []
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    // The page follows the system's theme when it is told: before that, colours of both are on it.
    await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor({ state: 'attached' })
    await page.evaluate(AT_REST)
    const { violations } = await new AxeBuilder({ page }).analyze()
    for (const { id, impact, nodes } of violations)
      if (impact === 'serious' || impact === 'critical')
        found.push(
          `${theme}: ${id}: ${nodes[0]?.failureSummary} At ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
        )
  }
  const size = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 844 })
  const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  if (over !== 0) found.push(`390 wide: ${over} px too wide`)
  if (size !== null) await page.setViewportSize(size)
  return found
}
