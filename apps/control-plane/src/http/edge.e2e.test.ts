import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testing/harness.ts'

let weir: TestApp
let dist = ''
beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'weir-dist-'))
  await mkdir(join(dist, 'assets'))
  await writeFile(join(dist, 'index.html'), '<!doctype html><title>Weir</title>')
  await writeFile(join(dist, 'assets/app-1a2b.js'), 'export {}')
  weir = await startTestApp({ environment: { WEIR_DASHBOARD: dist } })
})
afterAll(async () => {
  await weir.close()
  await rm(dist, { recursive: true })
})

const page = (path: string) => weir.call('GET', path, { as: null, headers: { accept: 'text/html' } })
const environment = (body: string, type = 'application/json') =>
  fetch(`${weir.url}/api/v1/environments`, {
    method: 'POST',
    headers: { authorization: 'Bearer test-admin', 'content-type': type },
    body,
  })

test('nobody is 401, a role too low is 403', async () => {
  const nobody = await weir.call('GET', '/api/v1/environments', { as: null })
  expect(nobody.body).toMatchObject({ status: 401, code: 'unauthenticated' })
  expect(nobody.headers.get('www-authenticate')).toBe('Bearer')
  const viewer = await weir.call('POST', '/api/v1/environments', { as: 'viewer', body: { name: 'prod' } })
  expect(viewer.body).toMatchObject({ status: 403, code: 'forbidden' })
})

test('errors of the body parser keep their status', async () => {
  for (const [body, type, status, code] of [
    ['{"name":', 'application/json', 400, 'not-json'],
    ['', 'application/json', 400, 'not-json'],
    ['<a/>', 'application/xml', 415, 'unsupported-media-type'],
    [JSON.stringify({ name: 'x'.repeat(1_100_000) }), 'application/json', 413, 'too-large'],
  ] as const) {
    const answer = await environment(body, type)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      'application/problem+json; charset=utf-8',
    ])
    expect(await answer.json()).toMatchObject({ code, status })
  }
})

test('problems of the input are named with their paths', async () => {
  const answer = await weir.call('POST', '/api/v1/environments', { body: { name: 'Prod!', colour: 'red' } })
  expect(answer.body).toMatchObject({ status: 400, code: 'invalid' })
  expect(answer.body.errors.map(({ path }: { path: string }) => path)).toContain('name')
  const nul = await weir.call('GET', '/api/v1/environments?search=a%00b')
  expect(nul.body).toMatchObject({ status: 400, errors: [{ path: 'search' }] })
  expect((await weir.call('GET', '/api/v1/environments/a%00b/services')).status).toBe(400)
  expect((await weir.call('GET', '/api/v1/environments?cursor=bm9wZQ')).status).toBe(400)
})

test('a name that is taken is 409', async () => {
  await weir.call('POST', '/api/v1/environments', { body: { name: 'twice' } })
  expect((await weir.call('POST', '/api/v1/environments', { body: { name: 'twice' } })).body).toMatchObject({
    code: 'conflict',
  })
})

test('every route is described in OpenAPI 3.1, with its role, its input and its precondition', async () => {
  const { body } = await weir.call('GET', '/api/v1/openapi.json', { as: null })
  expect(body.openapi).toBe('3.1.0')
  const publish = body.paths['/api/v1/environments/{environment}/services/{service}/policy/publish'].post
  expect(publish.requestBody.content['application/json'].schema.required).toEqual(['document', 'reason'])
  expect(publish.parameters.map(({ name }: { name: string }) => name)).toContain('If-Match')
  expect(publish.description).toContain('editor')
  expect(publish.responses['200'].headers).toHaveProperty('ETag')
  const list = body.paths['/api/v1/environments'].get
  expect(list.parameters.map(({ name }: { name: string }) => name).sort()).toEqual(['cursor', 'limit', 'search'])
})

test('the dashboard is served with its deep links, assets for ever, the page never', async () => {
  for (const path of ['/', '/environments/prod/services/orders', '/index.html']) {
    const answer = await page(path)
    expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'no-cache'])
    expect(answer.body).toContain('<title>Weir</title>')
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
  }
  const asset = await page('/assets/app-1a2b.js')
  expect(asset.headers.get('cache-control')).toContain('immutable')
  expect(asset.headers.get('content-type')).toContain('javascript')
})

test('a missing asset, a climbing path and an unknown API path are never the page', async () => {
  for (const path of ['/assets/gone.js', '/..%2f..%2fetc/passwd', '/a/..%5cpackage.json', '/api/v1/nothing', '/v1/x'])
    expect([path, (await page(path)).status]).toEqual([path, 404])
  expect((await weir.call('GET', '/no-page', { headers: { accept: 'application/json' } })).body.code).toBe('not-found')
})

test('answers carry the security headers, and those of the API are not stored', async () => {
  const { headers } = await weir.call('GET', '/api/v1/environments')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('x-frame-options')).toBe('DENY')
  expect(headers.get('cache-control')).toBe('no-store')
})

test('a key’s secret is shown once, works at once, and ends at once', async () => {
  await weir.call('POST', '/api/v1/environments', { body: { name: 'keys' } })
  await weir.call('POST', '/api/v1/environments/keys/services', { body: { name: 'orders' } })
  const url = '/api/v1/environments/keys/keys'
  expect((await weir.call('POST', url, { body: { name: 'k', services: ['nope'] } })).body.errors[0].path).toBe(
    'services',
  )
  expect((await weir.call('POST', url, { body: { name: 'k', services: ['orders', 'b'] } })).status).toBe(400)
  const made = await weir.call('POST', url, { body: { name: 'k', services: ['orders'] } })
  expect(made.body.secret).toMatch(/^weir_[\w-]{43}$/)
  const listed = (await weir.call('GET', url)).body.items
  expect(listed).toMatchObject([{ id: made.body.id, kind: 'agent', services: ['orders'], revokedAt: null }])
  expect(JSON.stringify(listed)).not.toContain(made.body.secret)
  const { AgentKeys } = await import('../features/keys/agent-keys.ts')
  const keys = weir.app.get(AgentKeys, { strict: false })
  expect(await keys.authenticate(made.body.secret)).toMatchObject({
    environment: 'keys',
    services: [{ name: 'orders' }],
  })
  expect(await keys.authenticate(`${made.body.secret.slice(0, -1)}_`)).toBeNull()
  expect((await weir.call('DELETE', `${url}/${made.body.id}`)).status).toBe(204)
  expect(await keys.authenticate(made.body.secret)).toBeNull()
  expect((await weir.call('DELETE', `${url}/${made.body.id}`)).status).toBe(404)
})
