import { API, type Operator, type Page } from '@weir/api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { type Browser, makeOperator, PASSWORD, signedIn } from '../../testing/people.ts'
import { Identity, type Principal } from './identity.ts'

let app: TestApp
let first: Operator
let admin: Browser
beforeEach(async () => {
  app = await startTestApp({ realIdentity: true })
  first = await makeOperator(app, 'admin', 'first@weir.test')
  admin = await signedIn(app, first.email)
})
afterEach(() => app.close())

const principalOf = async (browser: Browser): Promise<Principal> => {
  const asking = { method: 'GET', headers: { cookie: browser.cookie }, ip: '127.0.0.1', origin: app.url }
  const found = await app.app.get(Identity).identify(asking)
  if (!found.ok) throw new Error(found.refusal.detail)
  return found.value
}

test('an admin makes, lists, changes and removes operators, and all of it is in the audit', async () => {
  const body = { name: 'Second', email: 'Second@weir.test', role: 'viewer', password: PASSWORD }
  const made = await admin.fetch('POST', `${API}/operators`, { body })
  expect(made.status).toBe(201)
  const second = (await made.json()) as Operator
  expect(second).toMatchObject({ name: 'Second', email: 'second@weir.test', role: 'viewer' })
  expect((await admin.fetch('POST', `${API}/operators`, { body })).status).toBe(409)
  const changed = await admin.fetch('PATCH', `${API}/operators/${second.id}`, {
    body: { name: 'Third', role: 'editor' },
  })
  expect(await changed.json()).toMatchObject({ name: 'Third', role: 'editor' })
  const listed = (await (await admin.fetch('GET', `${API}/operators?limit=1`)).json()) as Page<Operator>
  expect(listed.items.map((one) => one.email)).toEqual(['first@weir.test'])
  const rest = (await (await admin.fetch('GET', `${API}/operators?cursor=${listed.next}`)).json()) as Page<Operator>
  expect(rest).toMatchObject({ items: [{ email: 'second@weir.test' }], next: null })
  expect((await admin.fetch('DELETE', `${API}/operators/${second.id}`)).status).toBe(204)
  expect((await admin.fetch('DELETE', `${API}/operators/${second.id}`)).status).toBe(404)
  const audit = await app.database.prisma.audit.findMany({
    where: { target: 'second@weir.test' },
    orderBy: { id: 'asc' },
  })
  expect(audit.map(({ actor, action, detail }) => ({ actor, action, detail }))).toEqual([
    { actor: 'The admin', action: 'operator.create', detail: { role: 'viewer' } },
    {
      actor: 'The admin',
      action: 'operator.change',
      detail: { name: { from: 'Second', to: 'Third' }, role: { from: 'viewer', to: 'editor' } },
    },
    { actor: 'The admin', action: 'operator.remove', detail: { role: 'editor' } },
  ])
  expect(await app.database.prisma.account.count()).toBe(1)
})

test('the last admin is neither removed nor demoted', async () => {
  expect((await admin.fetch('DELETE', `${API}/operators/${first.id}`)).status).toBe(409)
  const demoted = await admin.fetch('PATCH', `${API}/operators/${first.id}`, { body: { role: 'editor' } })
  expect(demoted.status).toBe(409)
  expect(await demoted.json()).toMatchObject({ code: 'conflict' })
  expect((await admin.fetch('GET', `${API}/operators`)).status).toBe(200)
})

test('admins who demote one another at the same instant leave one', async () => {
  const others = [await makeOperator(app, 'admin'), await makeOperator(app, 'admin')]
  const browsers = [admin, await signedIn(app, others[0]!.email), await signedIn(app, others[1]!.email)]
  const ids = [first.id, others[0]!.id, others[1]!.id]
  const answers = await Promise.all(
    browsers.map((browser, i) =>
      browser.fetch('PATCH', `${API}/operators/${ids[(i + 1) % 3]}`, { body: { role: 'viewer' } }),
    ),
  )
  expect(answers.filter((answer) => answer.status === 200).length).toBeLessThanOrEqual(2)
  expect(await app.database.prisma.user.count({ where: { role: 'admin' } })).toBeGreaterThanOrEqual(1)
})

test('a change of role ends the operator’s sessions at once, a change of name does not', async () => {
  const { id, email } = await makeOperator(app, 'editor')
  const browser = await signedIn(app, email)
  const principal = await principalOf(browser)
  await admin.fetch('PATCH', `${API}/operators/${id}`, { body: { name: 'Renamed' } })
  expect(await (await browser.fetch('GET', `${API}/me`)).json()).toMatchObject({ name: 'Renamed' })
  expect(await app.app.get(Identity).recheck(principal)).toMatchObject({ name: 'Renamed', role: 'editor' })
  await admin.fetch('PATCH', `${API}/operators/${id}`, { body: { role: 'viewer' } })
  expect((await browser.fetch('GET', `${API}/me`)).status).toBe(401)
  expect(await app.app.get(Identity).recheck(principal)).toBeNull()
})

test('a removed operator is nobody at once', async () => {
  const { id, email } = await makeOperator(app, 'admin')
  const browser = await signedIn(app, email)
  const principal = await principalOf(browser)
  await admin.fetch('DELETE', `${API}/operators/${id}`)
  expect((await browser.fetch('GET', `${API}/me`)).status).toBe(401)
  expect(await app.app.get(Identity).recheck(principal)).toBeNull()
})

test('signing out ends what a long connection rests on', async () => {
  const principal = await principalOf(admin)
  const identity = app.app.get(Identity)
  expect(await identity.recheck(principal)).toMatchObject({ id: first.id, role: 'admin' })
  await admin.fetch('POST', '/api/auth/sign-out')
  expect(await identity.recheck(principal)).toBeNull()
})

test('a socket needs our own Origin with a session', async () => {
  const identity = app.app.get(Identity)
  const { origin } = new URL(app.url)
  const ask = (given: string | undefined) =>
    identity.identifySocket({
      method: 'GET',
      headers: { cookie: admin.cookie, ...(given === undefined ? {} : { origin: given }) },
      ip: '127.0.0.1',
      origin,
    })
  expect(await ask(origin)).toMatchObject({ ok: true, value: { id: first.id } })
  expect(await ask('https://evil.example')).toMatchObject({ ok: false, refusal: { code: 'forbidden' } })
  expect(await ask(undefined)).toMatchObject({ ok: false, refusal: { code: 'forbidden' } })
})
