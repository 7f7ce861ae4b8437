import { API } from '@weir/api'
import { hashPassword } from 'better-auth/crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SIGN_INS } from '../../adapters/better-auth/auth.ts'
import { PrismaOperatorStore } from '../../adapters/prisma/access-operators.ts'
import { PrismaSignInLinkStore } from '../../adapters/prisma/access-sign-in-links.ts'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { browserOf, makeOperator, PASSWORD, signedIn } from '../../testing/people.ts'
import { Operators } from './operators.ts'
import { LINK_VALID_MS, SignInLinks } from './sign-in-link.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ realIdentity: true, environment: { TRUSTED_PROXIES: '127.0.0.0/8,::1' } })
})
afterAll(() => app.close())

/** Every test has an address of its own, as attempts are counted by it. */
let addresses = 0
const from = (): Record<string, string> => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })

const link = async (email: string, now = Date.now): Promise<string> => {
  const made = await new SignInLinks(new PrismaSignInLinkStore(app.database), now).make(email, 'test')
  if (!made.ok) throw new Error(made.refusal.detail)
  return made.value.token
}

const use = (token: string, headers: Record<string, string | null> = from(), browser = browserOf(app)) =>
  browser.fetch('POST', `${API}/sign-in-link`, { body: { token }, headers })

const refusal = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

const operators = () => new Operators(new PrismaOperatorStore(app.database), hashPassword)

test('a link signs its operator in as a password does, once, and both are audited', async () => {
  const { email, id } = await makeOperator(app, 'editor')
  const token = await link(email.toUpperCase())
  const browser = browserOf(app)
  const headers = from()
  const entered = await use(token, headers, browser)
  expect(entered.status).toBe(204)
  expect(entered.headers.get('cache-control')).toBe('no-store')
  expect(await (await browser.fetch('GET', `${API}/me`)).json()).toMatchObject({ kind: 'operator', id, role: 'editor' })

  const shape = (response: Response) => response.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]+/, ''))
  const byPassword = await browserOf(app).fetch('POST', '/api/auth/sign-in/email', {
    body: { email, password: PASSWORD },
    headers: from(),
  })
  expect(shape(entered)).toEqual(shape(byPassword))

  const again = browserOf(app)
  expect(await refusal(await use(token, headers, again))).toEqual([410, 'gone'])
  expect(again.cookie).toBe('')
  const { audit } = app.database.prisma
  expect(await audit.findFirst({ where: { action: 'operator.sign-in-link', target: email } })).toMatchObject({
    actor: 'test',
  })
  const target = headers['x-forwarded-for'] ?? ''
  expect(await audit.findFirst({ where: { action: 'session.sign-in', target } })).toMatchObject({
    actor: email,
    detail: { by: 'link' },
  })
  await expect
    .poll(() => audit.findFirst({ where: { action: 'refused.sign-in-link', target } }))
    .toMatchObject({ actor: 'nobody', detail: { why: 'gone' } })
})

test('of many uses at the same instant one wins', async () => {
  const { email, id } = await makeOperator(app, 'viewer')
  const token = await link(email)
  const answers = await Promise.all(Array.from({ length: 12 }, () => use(token)))
  expect(answers.map((answer) => answer.status).sort()).toEqual([204, ...Array(11).fill(410)])
  expect(await app.database.prisma.session.count({ where: { userId: id } })).toBe(1)
})

test('a link ends after ten minutes', async () => {
  const { email } = await makeOperator(app, 'viewer')
  const old = await use(await link(email, () => Date.now() - LINK_VALID_MS))
  expect(await refusal(old)).toEqual([410, 'gone'])
  expect(old.headers.getSetCookie()).toEqual([])
  expect((await use(await link(email, () => Date.now() - LINK_VALID_MS + 30_000))).status).toBe(204)
})

test('a removed operator’s link is nobody’s', async () => {
  const { email, id } = await makeOperator(app, 'viewer')
  const token = await link(email)
  expect((await operators().remove(id, 'test')).ok).toBe(true)
  expect(await refusal(await use(token))).toEqual([401, 'unauthenticated'])
  expect(await app.database.prisma.signInLink.count({ where: { operatorId: id } })).toBe(0)
})

test('a new link and a new password end an earlier link', async () => {
  const { email } = await makeOperator(app, 'viewer')
  const first = await link(email)
  const second = await link(email)
  expect((await use(first)).status).toBe(401)
  expect((await operators().resetPassword(email, 'a forgotten password', 'test')).ok).toBe(true)
  expect((await use(second)).status).toBe(401)
  await signedIn(app, email, 'a forgotten password')
})

test('what is no link of ours is refused, and what is no token is not even looked for', async () => {
  expect(await refusal(await use(`weir_l_${'A'.repeat(43)}`))).toEqual([401, 'unauthenticated'])
  expect(await refusal(await use('nonsense'))).toEqual([401, 'unauthenticated'])
  expect((await use('')).status).toBe(400)
  expect((await use('x'.repeat(257))).status).toBe(400)
})

test('guessing from one address is stopped, and stops nobody else', async () => {
  const { email } = await makeOperator(app, 'viewer')
  const guesser = from()
  const statuses = []
  for (let i = 0; i <= SIGN_INS.max; i++) statuses.push((await use(`weir_l_${'A'.repeat(43)}`, guesser)).status)
  expect(statuses).toEqual([...Array(SIGN_INS.max).fill(401), 429])
  const token = await link(email)
  const stopped = await use(token, guesser)
  expect(stopped.status).toBe(429)
  expect(Number(stopped.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await use(token)).status).toBe(204)
})

test('another site’s page signs nobody in, and does not use the link up', async () => {
  const { email } = await makeOperator(app, 'viewer')
  const token = await link(email)
  const foreign = await use(token, { ...from(), origin: 'https://evil.example' })
  expect(foreign.status).toBe(403)
  expect(foreign.headers.getSetCookie()).toEqual([])
  expect((await use(token)).status).toBe(204)
})

test('the token is kept as a hash only', async () => {
  const { email } = await makeOperator(app, 'viewer')
  const token = await link(email)
  const everything = await Promise.all([
    app.database.prisma.signInLink.findMany(),
    app.database.prisma.audit.findMany({ select: { actor: true, action: true, target: true, detail: true } }),
  ])
  expect(JSON.stringify(everything)).not.toContain(token.slice('weir_l_'.length))
})
