import { API, type createdTokenSchema, type Page, type Token } from '@weir/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { makeToken } from '../../testing/people.ts'
import { Identity } from './identity.ts'

let app: TestApp
let admin: string
beforeAll(async () => {
  app = await startTestApp({ realIdentity: true })
  admin = (await makeToken(app, 'admin')).secret
})
afterAll(() => app.close())

const call = (method: string, path: string, secret: string, body?: unknown) =>
  fetch(new URL(API + path, app.url), {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const make = async (body: object) => {
  const response = await call('POST', '/tokens', admin, body)
  expect(response.status).toBe(201)
  return (await response.json()) as z.infer<typeof createdTokenSchema>
}

test('a token is shown once, kept as a hash, and writes without Origin or header', async () => {
  const made = await make({ name: 'deploys', role: 'editor' })
  expect(made.secret).toMatch(/^weir_t_[\w-]{43}$/)
  expect(Date.parse(made.expiresAt ?? '') - Date.now()).toBeGreaterThan(89 * 86_400_000)
  expect(await (await call('GET', '/me', made.secret)).json()).toEqual({
    kind: 'token',
    id: made.id,
    name: 'deploys',
    email: null,
    role: 'editor',
  })
  const listed = (await (await call('GET', '/tokens?search=DEPLOYS', admin)).json()) as Page<Token>
  expect(listed.items).toMatchObject([{ id: made.id, prefix: made.secret.slice(0, 15) }])
  expect(JSON.stringify(listed)).not.toContain(made.secret)
  const stored = await app.database.prisma.apiToken.findUniqueOrThrow({ where: { id: made.id } })
  expect(JSON.stringify(stored)).not.toContain(made.secret.slice(15))
})

test('a revoked token is nobody at once, on REST and on what lasts', async () => {
  const made = await make({ name: 'gone', role: 'viewer', expiresInDays: null })
  expect(made.expiresAt).toBeNull()
  const principal = { kind: 'token' as const, id: made.id, name: 'gone', email: null, role: 'viewer' as const }
  expect(await app.app.get(Identity).recheck(principal)).toEqual(principal)
  expect((await call('DELETE', `/tokens/${made.id}`, admin)).status).toBe(204)
  const refused = await call('GET', '/me', made.secret)
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({ detail: 'The token was revoked.' })
  expect(await app.app.get(Identity).recheck(principal)).toBeNull()
  expect((await call('DELETE', `/tokens/${made.id}`, admin)).status).toBe(404)
  expect((await call('DELETE', '/tokens/nonsense', admin)).status).toBe(404)
  await expect
    .poll(() => app.database.prisma.audit.findFirst({ where: { action: 'refused.token' } }))
    .toMatchObject({ detail: { why: 'revoked', token: 'gone' } })
})

test('an expired token is nobody', async () => {
  const made = await make({ name: 'old', role: 'admin', expiresInDays: 1 })
  await app.database.prisma.apiToken.update({ where: { id: made.id }, data: { expiresAt: new Date(Date.now() - 1) } })
  const refused = await call('GET', '/me', made.secret)
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('expired') })
})

test('a use is noted, at most once a minute', async () => {
  const { id, secret } = await make({ name: 'used', role: 'viewer' })
  const lastUsed = async () => (await app.database.prisma.apiToken.findUniqueOrThrow({ where: { id } })).lastUsedAt
  await call('GET', '/me', secret)
  await expect.poll(lastUsed).not.toBeNull()
  const earlier = new Date(Date.now() - 59_000)
  await app.database.prisma.apiToken.update({ where: { id }, data: { lastUsedAt: earlier } })
  await call('GET', '/me', secret)
  await call('GET', '/me', secret)
  expect(await lastUsed()).toEqual(earlier)
  await app.database.prisma.apiToken.update({ where: { id }, data: { lastUsedAt: new Date(Date.now() - 61_000) } })
  await call('GET', '/me', secret)
  await expect.poll(async () => (await lastUsed())?.getTime()).toBeGreaterThan(Date.now() - 30_000)
})

test('lists are told page by page, each token once', async () => {
  for (let i = 0; i < 5; i++) await make({ name: `paged ${i}`, role: 'viewer' })
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/tokens?search=paged&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`
    const page = (await (await call('GET', path, admin)).json()) as Page<Token>
    expect(page.items.length).toBeLessThanOrEqual(2)
    seen.push(...page.items.map((token) => token.name))
    cursor = page.next
  }
  expect(seen).toEqual(['paged 4', 'paged 3', 'paged 2', 'paged 1', 'paged 0'])
  expect((await call('GET', '/tokens?cursor=nonsense', admin)).status).toBe(400)
})

test('a token that is wrongly asked for is refused with every problem', async () => {
  const response = await call('POST', '/tokens', admin, { name: '', role: 'owner', expiresInDays: 0, secret: 'mine' })
  expect(response.status).toBe(400)
  const { errors } = (await response.json()) as { errors: { path: string }[] }
  expect(errors.length).toBeGreaterThanOrEqual(3)
})
