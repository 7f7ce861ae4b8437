import { API, ROLES, type Role } from '@weir/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/harness.ts'
import { makeToken } from '../../testing/people.ts'
import { type Route, routesOf } from '../../testing/routes.ts'
import { mayAct } from './identity.ts'

let app: TestApp
let routes: Route[]
const tokens = new Map<Role, string>()
beforeAll(async () => {
  app = await startTestApp({ realIdentity: true })
  for (const role of ROLES) tokens.set(role, (await makeToken(app, role)).secret)
  routes = routesOf(app.app).filter(({ path, method }) => path.startsWith(`${API}/`) && method !== 'HEAD')
})
afterAll(() => app.close())

/** Open to everybody: what the sign-in page needs, and the description of the routes. */
const OPEN = new Set(['GET /status', 'POST /setup', 'POST /sign-in-link', 'GET /openapi.json'])
/** Agents come with keys of their own; no role opens these. */
const AGENTS = /^\w+ \/agent\//
/** Writes that change nothing. */
const READS = /^POST .*\/policy\/(validate|diff)$/
const ADMIN = /^\w+ (\/operators|\/tokens|\/audit|\/environments\/:environment\/keys)(\/|$)/
const ADMIN_WRITES = /^(POST \/environments|(POST|PUT|DELETE) \/environments\/:environment\/receivers(\/.*)?)$/

/** The role that a route needs, by rule: reading is for viewers, writing for editors; people, keys, and where messages go, for admins. */
const neededFor = (name: string): Role => {
  if (ADMIN.test(name) || ADMIN_WRITES.test(name)) return 'admin'
  return name.startsWith('GET ') || READS.test(name) ? 'viewer' : 'editor'
}

const nameOf = ({ method, path }: Route) => `${method} ${path.slice(API.length)}`

const ask = async (route: Route, headers: Record<string, string>): Promise<Response> =>
  fetch(new URL(route.path.replace(/:\w+/g, 'nowhere'), app.url), { method: route.method, headers })

test('there are routes to be judged', () => {
  expect(routes.length).toBeGreaterThan(10)
  for (const open of OPEN) expect(routes.map(nameOf)).toContain(open)
})

test('every route answers 401 to nobody, to a forged token, to a forged cookie and to an agent’s kind of key', async () => {
  const nobody = [
    {},
    { authorization: 'Bearer nonsense' },
    { authorization: `Bearer weir_t_${'A'.repeat(43)}` },
    { authorization: `Bearer weir_a_${'A'.repeat(43)}` },
    { authorization: 'Basic YTpi' },
    { cookie: 'weir-00000000.session_token=a.b; weir.session_token=a.b' },
  ]
  for (const route of routes.filter((one) => !OPEN.has(nameOf(one))))
    for (const headers of nobody) {
      const response = await ask(route, headers)
      expect(response.status, `${nameOf(route)} ${JSON.stringify(headers)}`).toBe(401)
      expect(response.headers.get('content-type')).toContain('application/problem+json')
    }
})

test('every route lets the roles in that it is for, and no other', async () => {
  const wrong: string[] = []
  for (const route of routes.filter((one) => !OPEN.has(nameOf(one)) && !AGENTS.test(nameOf(one))))
    for (const role of ROLES) {
      const { status } = await ask(route, { authorization: `Bearer ${tokens.get(role)}` })
      const lets = status !== 401 && status !== 403
      if (lets !== mayAct(role, neededFor(nameOf(route)))) wrong.push(`${nameOf(route)}: ${role} got ${status}`)
    }
  expect(wrong).toEqual([])
})

test('a role that is too low is told which one is needed, and it is audited', async () => {
  const response = await ask(
    { method: 'GET', path: `${API}/operators` },
    { authorization: `Bearer ${tokens.get('editor')}` },
  )
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({
    code: 'forbidden',
    detail: 'This needs the role admin; yours is editor.',
  })
  await expect
    .poll(() =>
      app.database.prisma.audit.findFirst({ where: { action: 'refused.role', actor: { startsWith: 'editor' } } }),
    )
    .toMatchObject({ detail: { needed: 'admin' } })
})

test('a flood of refused requests leaves a bounded trace', async () => {
  const before = await app.database.prisma.audit.count()
  const route = { method: 'GET', path: `${API}/me` }
  for (let i = 0; i < 10; i++)
    await Promise.all(Array.from({ length: 30 }, (_, j) => ask(route, { authorization: `Bearer flood-${i}-${j}` })))
  expect((await app.database.prisma.audit.count()) - before).toBeLessThanOrEqual(2)
})
