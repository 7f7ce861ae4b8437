import { afterAll, beforeAll, expect, test } from 'vitest'
import { SIGN_INS } from '../../adapters/better-auth/auth.ts'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { browserOf, makeOperator, PASSWORD, signedIn } from '../../testing/people.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ realIdentity: true, environment: { TRUSTED_PROXIES: '127.0.0.0/8,::1' } })
})
afterAll(() => app.close())

/** Every test has an address of its own, as sign-ins are counted by it. */
let addresses = 0
const from = () => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })

const signIn = (email: string, password: string, headers: Record<string, string | null> = from()) =>
  browserOf(app).fetch('POST', '/api/auth/sign-in/email', { body: { email, password }, headers })

const audited = async (action: string) =>
  app.database.prisma.audit.findMany({ where: { action }, orderBy: { id: 'desc' } })

test('an operator signs in, is known, and signs out', async () => {
  const { email, id } = await makeOperator(app, 'editor')
  const browser = await signedIn(app, email)
  const me = await browser.fetch('GET', '/api/v1/me')
  expect(await me.json()).toEqual({ kind: 'operator', id, name: 'The editor', email, role: 'editor' })
  const { cookie } = browser
  expect((await browser.fetch('POST', '/api/auth/sign-out')).status).toBe(204)
  browser.cookie = cookie
  expect((await browser.fetch('GET', '/api/v1/me')).status).toBe(401)
  expect((await audited('session.sign-in'))[0]).toMatchObject({ actor: email })
  expect((await audited('session.sign-out'))[0]).toMatchObject({ actor: 'The editor' })
})

test('the cookie is out of reach of scripts and other sites, and bound to TLS where there is TLS; no token is in the answer', async () => {
  const { email } = await makeOperator(app, 'viewer')
  const plain = await signIn(email.toUpperCase(), PASSWORD)
  const [cookie = ''] = plain.headers.getSetCookie()
  expect(cookie).toMatch(/^weir-[0-9a-f]{8}\.session_token=/)
  expect(cookie).toMatch(/; HttpOnly/i)
  expect(cookie).toMatch(/; SameSite=Strict/i)
  expect(cookie).not.toMatch(/; Secure/i)
  expect(await plain.text()).toBe('')
  const origin = 'https://weir.example'
  const proxied = { ...from(), 'x-forwarded-proto': 'https', 'x-forwarded-host': 'weir.example', origin }
  expect((await signIn(email, PASSWORD, proxied)).headers.getSetCookie()[0]).toMatch(/; Secure/i)
})

test('a wrong password and an unknown address are refused in the same words, and audited without the password', async () => {
  const { email } = await makeOperator(app, 'viewer')
  const headers = from()
  const wrong = await signIn(email, 'not the password', headers)
  const unknown = await signIn('nobody@weir.test', 'not the password')
  expect(wrong.status).toBe(401)
  expect(wrong.headers.get('content-type')).toContain('application/problem+json')
  expect(await wrong.json()).toEqual(await unknown.json())
  await expect
    .poll(async () => (await audited('refused.sign-in')).find((row) => row.target === headers['x-forwarded-for']))
    .toMatchObject({ actor: 'nobody', detail: { email, why: 'unauthenticated' } })
  const details = (await audited('refused.sign-in')).map((row) => row.detail)
  expect(JSON.stringify(details)).not.toContain('not the password')
})

test('guessing from one address is stopped, and locks nobody else out, not even the same operator elsewhere', async () => {
  const { email } = await makeOperator(app, 'admin')
  const guesser = from()
  const statuses = []
  for (let i = 0; i < SIGN_INS.max + 3; i++) statuses.push((await signIn(email, `wrong ${i}`, guesser)).status)
  expect(statuses.slice(0, SIGN_INS.max)).toEqual(Array(SIGN_INS.max).fill(401))
  expect(statuses.slice(SIGN_INS.max)).toEqual([429, 429, 429])
  const stopped = await signIn(email, PASSWORD, guesser)
  expect(stopped.status).toBe(429)
  expect(Number(stopped.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await stopped.json()).toMatchObject({ code: 'too-many-requests' })
  expect((await signIn(email, PASSWORD)).status).toBe(204)
})

test('a caller cannot choose the address by which it is counted', async () => {
  const { email } = await makeOperator(app, 'admin')
  const { 'x-forwarded-for': address } = from()
  const statuses = new Set<number>()
  for (let i = 0; i < SIGN_INS.max + 1; i++) {
    const headers = { 'x-forwarded-for': `203.0.113.${i}, ${address}`, 'x-weir-caller': `203.0.113.${i}` }
    statuses.add((await signIn(email, 'wrong', headers)).status)
  }
  expect(statuses).toEqual(new Set([401, 429]))
})

test('guesses at the same instant are all counted', async () => {
  const { email } = await makeOperator(app, 'viewer')
  const headers = from()
  const answers = await Promise.all(Array.from({ length: 3 * SIGN_INS.max }, () => signIn(email, 'wrong', headers)))
  expect(answers.filter((answer) => answer.status === 401).length).toBeLessThanOrEqual(SIGN_INS.max)
  // A machine too busy to look at all of them turns some away.
  for (const { status } of answers) expect([401, 429, 503]).toContain(status)
})

test('a flood of guesses from many addresses is answered, or told to come back, and passes', async () => {
  const { email } = await makeOperator(app, 'viewer')
  const answers = await Promise.all(Array.from({ length: 40 }, () => signIn(email, 'wrong')))
  for (const answer of answers) {
    expect([401, 503]).toContain(answer.status)
    expect(answer.headers.get('retry-after')).toBe(answer.status === 503 ? '1' : null)
  }
  expect((await signIn(email, PASSWORD)).status).toBe(204)
})

test('a sign-in that another site sends is refused', async () => {
  const { email } = await makeOperator(app, 'viewer')
  const foreign = await signIn(email, PASSWORD, { ...from(), origin: 'https://evil.example' })
  expect(foreign.status).toBe(403)
  expect(foreign.headers.getSetCookie()).toEqual([])
  const silent = await signIn(email, PASSWORD, { ...from(), origin: null, 'sec-fetch-site': 'cross-site' })
  expect(silent.status).toBe(403)
  expect((await signIn(email, PASSWORD, { ...from(), origin: null })).status).toBe(204)
})

test('nobody can sign up, and the rest of better-auth is not there', async () => {
  const browser = browserOf(app)
  const body = { name: 'x', email: 'x@weir.test', password: PASSWORD, role: 'admin' }
  for (const path of ['sign-up/email', 'update-user', 'delete-user', 'admin/create-user', 'sign-in/social'])
    expect((await browser.fetch('POST', `/api/auth/${path}`, { body })).status, path).toBe(404)
  expect(await app.database.prisma.user.findUnique({ where: { email: 'x@weir.test' } })).toBeNull()
})

test('a forged or altered cookie is nobody', async () => {
  const { email } = await makeOperator(app, 'admin')
  const browser = await signedIn(app, email)
  const session = await app.database.prisma.session.findFirstOrThrow({ where: { user: { email } } })
  const [name] = browser.cookie.split('=')
  for (const value of [session.token, `${session.token}.AAAA`, `${decodeURIComponent(browser.cookie.slice(1))}x`]) {
    browser.cookie = `${name}=${encodeURIComponent(value)}`
    expect((await browser.fetch('GET', '/api/v1/me')).status).toBe(401)
  }
})

test('a session that is over is nobody', async () => {
  const { email, id } = await makeOperator(app, 'viewer')
  const browser = await signedIn(app, email)
  await app.database.prisma.session.updateMany({ where: { userId: id }, data: { expiresAt: new Date(0) } })
  expect((await browser.fetch('GET', '/api/v1/me')).status).toBe(401)
})

test('a new password wants the present one, and ends the operator’s other sessions', async () => {
  const { email } = await makeOperator(app, 'viewer')
  const other = await signedIn(app, email)
  const browser = await signedIn(app, email)
  const change = (currentPassword: string) =>
    browser.fetch('POST', '/api/auth/change-password', { body: { currentPassword, newPassword: 'another long one' } })
  expect((await change('wrong')).status).toBe(403)
  expect((await change(PASSWORD)).status).toBe(204)
  expect((await other.fetch('GET', '/api/v1/me')).status).toBe(401)
  expect((await browser.fetch('GET', '/api/v1/me')).status).toBe(200)
  expect((await signIn(email, PASSWORD)).status).toBe(401)
  expect((await signIn(email, 'another long one')).status).toBe(204)
})
