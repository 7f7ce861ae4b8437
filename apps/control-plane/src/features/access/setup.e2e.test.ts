import { API } from '@weir/api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PrismaOperatorStore } from '../../adapters/prisma/access-operators.ts'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { browserOf, PASSWORD, signedIn } from '../../testing/people.ts'
import { announceSetup } from './setup-announcement.ts'

let app: TestApp
beforeEach(async () => {
  app = await startTestApp({ realIdentity: true })
})
afterEach(() => app.close())

const link = async (now = Date.now): Promise<string> => {
  const lines: string[] = []
  const print = (line: string) => lines.push(line)
  const store = new PrismaOperatorStore(app.database)
  await announceSetup(store, { baseUrl: app.url, dataFolder: '/nonexistent', terminal: true, print, now })
  return /#(\S+)$/.exec(lines[0] ?? '')?.[1] ?? ''
}

const setUp = (token: string, email = 'first@weir.test', headers: Record<string, string | null> = {}) =>
  browserOf(app).fetch('POST', `${API}/setup`, {
    body: { token, name: 'The first', email, password: PASSWORD },
    headers,
  })

const status = async () => (await fetch(`${app.url}${API}/status`)).json()

test('the link makes the first operator, an admin, once', async () => {
  const token = await link()
  expect(await status()).toEqual({ version: '0.1.0', needsSetup: true, databaseId: app.database.databaseId })
  const made = await setUp(token)
  expect(made.status).toBe(201)
  expect(await made.json()).toMatchObject({ name: 'The first', email: 'first@weir.test', role: 'admin' })
  expect(await status()).toMatchObject({ needsSetup: false })
  const again = await setUp(token, 'second@weir.test')
  expect(again.status).toBe(410)
  expect(await app.database.prisma.user.count()).toBe(1)
  const browser = await signedIn(app, 'first@weir.test')
  expect(await (await browser.fetch('GET', `${API}/me`)).json()).toMatchObject({ role: 'admin' })
  expect(await link()).toBe('')
})

test('of many set-ups at the same instant one wins', async () => {
  const tokens = [await link(), await link()]
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => setUp(tokens[i % 2]!, `racer-${i}@weir.test`)))
  const statuses = answers.map((answer) => answer.status).sort()
  // A machine too busy to give each a connection in time tells some of them to come again.
  expect(statuses.map((status) => (status === 503 ? 410 : status))).toEqual([201, ...Array(11).fill(410)])
  expect(await app.database.prisma.user.count()).toBe(1)
  expect(await app.database.prisma.audit.count({ where: { action: 'operator.set-up' } })).toBe(1)
})

test('a wrong token is refused and audited, an old one is told how to go on', async () => {
  const wrong = await setUp(`weir_s_${'A'.repeat(43)}`)
  expect(wrong.status).toBe(403)
  await expect.poll(() => app.database.prisma.audit.count({ where: { action: 'refused.set-up' } })).toBe(1)
  const old = await setUp(await link(() => Date.now() - 3_600_001))
  expect(old.status).toBe(410)
  expect(await old.json()).toMatchObject({ detail: expect.stringContaining('weir operator create') })
  expect(await app.database.prisma.user.count()).toBe(0)
})

test('another site’s page cannot set up', async () => {
  const token = await link()
  expect((await setUp(token, 'first@weir.test', { origin: 'https://evil.example' })).status).toBe(403)
  expect(await app.database.prisma.user.count()).toBe(0)
})

test('every problem of the form is named', async () => {
  const body = { token: await link(), name: ' ', email: 'no', password: 'short' }
  const answer = await browserOf(app).fetch('POST', `${API}/setup`, { body })
  expect(answer.status).toBe(400)
  const { errors } = (await answer.json()) as { errors: { path: string }[] }
  expect(errors.map((error) => error.path).sort()).toEqual(['email', 'name', 'password'])
})

test('the token is kept as a hash only', async () => {
  const token = await link()
  const rows = await app.database.prisma.setupToken.findMany()
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(token.slice('weir_s_'.length))
})
