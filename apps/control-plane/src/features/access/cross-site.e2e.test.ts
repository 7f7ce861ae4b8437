import { API } from '@weir/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { type Browser, makeOperator, PASSWORD, signedIn } from '../../testing/people.ts'

let app: TestApp
let admin: Browser
beforeAll(async () => {
  app = await startTestApp({ realIdentity: true })
  admin = await signedIn(app, (await makeOperator(app, 'admin')).email)
})
afterAll(() => app.close())

test.each([
  ['from another site', { origin: 'https://evil.example' }],
  ['from another port', { origin: 'http://127.0.0.1:1' }],
  ['without a word of its origin', { origin: null }],
  ['without the header', { 'x-weir-csrf': null }],
  ['sent by a link or form of a neighbour', { origin: null, 'sec-fetch-site': 'same-site' }],
])('a write with the session’s cookie %s is refused, changes nothing and is audited', async (_, headers) => {
  const body = { name: 'X', email: 'x@weir.test', role: 'admin', password: PASSWORD }
  const answer = await admin.fetch('POST', `${API}/operators`, { body, headers })
  expect(answer.status).toBe(403)
  expect(await app.database.prisma.user.count()).toBe(1)
  await expect
    .poll(() => app.database.prisma.audit.findFirst({ where: { action: 'refused.cross-site' } }))
    .toMatchObject({ actor: 'The admin' })
  expect((await admin.fetch('GET', `${API}/operators`, { headers })).status).toBe(200)
})
