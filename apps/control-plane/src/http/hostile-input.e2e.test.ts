import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { BASE, TestFleet } from '../ws/fleet.testkit.ts'

let weir: TestApp
beforeAll(async () => {
  weir = await startTestApp()
  await TestFleet.over(weir)
})
afterAll(() => weir.close())

const cursorOf = (key: unknown): string => Buffer.from(JSON.stringify(key)).toString('base64url')
const SERVICE = `${BASE}/services/orders`
const TOO_LARGE = 3_000_000_000

test.each([
  `${SERVICE}/quotas?cursor=${cursorOf({ resource: 'a\0', tenant: 'b' })}`,
  `${BASE}/agents?cursor=${cursorOf({ service: 'orders', instance: '\0' })}`,
  `/api/v1/environments?cursor=${cursorOf('a\0')}`,
  `${BASE}/services?cursor=${cursorOf('a\0')}`,
  `${SERVICE}/policy/versions?cursor=${cursorOf(TOO_LARGE)}`,
  '/api/v1/environments/a%00b/agents',
  `${BASE}/services/a%00b/receipts`,
  '/api/v1/audit?cursor=999999999999999999999',
])('a request that PostgreSQL has no value for is 400: GET %s', async (path) => {
  expect((await weir.call('GET', path)).body).toMatchObject({ status: 400, code: 'invalid' })
})

test.each([
  ['POST', `${SERVICE}/policy/diff`, { document: 'version: 1', against: TOO_LARGE }],
  ['POST', `${SERVICE}/policy/rollback`, { version: TOO_LARGE, reason: 'back' }],
  ['PUT', `${SERVICE}/policy/draft`, { document: 'version: 1', basedOn: TOO_LARGE }],
  ['PATCH', '/api/v1/operators/a%00b', { name: 'a' }],
] as const)('a version or an id that cannot be one is 400: %s %s', async (method, path, body) => {
  const answer = await weir.call(method, path, { body, headers: { 'if-none-match': '*' } })
  expect(answer.body).toMatchObject({ status: 400, code: 'invalid' })
})

test('a peer that was refused a socket and keeps its own end open is cut off', async () => {
  const { hostname, port } = new URL(weir.url)
  const peer = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const gone = new Promise<string>((resolve) => {
    peer.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    peer.once('end', () => {
      const again = setInterval(() => peer.write('more'), 20)
      peer.once('close', () => clearInterval(again))
    })
  })
  peer.resume()
  peer.write('GET /nowhere HTTP/1.1\r\nHost: weir\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  expect(['ECONNRESET', 'EPIPE']).toContain(await gone)
})

test('a request that never ends is ended: its headers and its body have a time', () => {
  const server = weir.app.getHttpServer()
  expect(server.requestTimeout).toBeGreaterThan(0)
  expect(server.headersTimeout).toBeLessThanOrEqual(60_000)
})
