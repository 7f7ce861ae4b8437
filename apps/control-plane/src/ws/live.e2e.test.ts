import { LIVE } from '@weir/api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Identity } from '../features/access/identity.ts'
import { LiveBroadcast } from '../features/live/live-port.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { TestFleet } from './fleet.testkit.ts'
import { SocketClient } from './socket-client.testkit.ts'

let weir: TestApp
beforeEach(async () => {
  weir = await startTestApp()
})
afterEach(() => weir.close())

const knock = (headers: Record<string, string>, protocol: string = LIVE.subprotocol) =>
  SocketClient.open(`${weir.url}${LIVE.path}`, protocol, headers)
const open = async (): Promise<SocketClient> => {
  const client = await knock({ authorization: 'Bearer test-viewer' })
  if (typeof client === 'number') throw new Error(`answered ${client}`)
  return client
}
const watch = async (client: SocketClient, service: string | null) => {
  client.say({ type: 'watch', environment: 'prod', service })
  // A socket's messages are handled in order: the answer to a ping comes after the watch was taken.
  const pong = new Promise((resolve) => client.socket.once('pong', resolve))
  client.socket.ping()
  await pong
}

test('the live socket wants somebody who is signed in', async () => {
  expect(await knock({})).toBe(401)
  expect(await knock({ authorization: 'Bearer test-viewer' }, 'weir.v1')).toBe(400)
  const client = await open()
  expect(await client.until((message) => message.type === 'hello')).toMatchObject({
    databaseId: weir.database.databaseId,
  })
})

test('ticks, publishes and changed agents reach those who watch', async () => {
  const fleet = await TestFleet.over(weir)
  const [overview, page] = [await open(), await open()]
  await watch(overview, null)
  await watch(page, 'orders')
  const by = { reason: {}, class: {}, tenant: { acme: { offered: 1 } } }
  const row = { kind: 'gate' as const, service: 'orders', name: 'checkout', edge: true, figures: { offered: 1 } }
  weir.app.get(LiveBroadcast).tick('prod', new Date(), [{ ...row, by }])
  expect(await overview.until((message) => message.type === 'tick')).toMatchObject({ rows: [row] })
  expect(await page.until((message) => message.type === 'tick')).toMatchObject({ rows: [{ ...row, by }] })
  const revision = await fleet.publish(10)
  expect(await overview.until((message) => message.type === 'published')).toMatchObject({ service: 'orders', revision })
  await fleet.agent('a')
  const told = await page.until((message) => message.type === 'agents')
  expect(told).toMatchObject({ service: 'orders', agents: [{ instance: 'a', connected: true, status: 'pending' }] })
  expect(overview.of('agents')).toEqual([])
})

test('a dashboard is closed within 5 s of its sign-out', async () => {
  const identity = weir.app.get(Identity)
  const client = await open()
  const before = performance.now()
  identity.recheck = () => Promise.resolve(null)
  expect((await client.closed).code).toBe(4401)
  expect(performance.now() - before).toBeLessThan(5_000)
})

test('a dashboard that talks nonsense is closed, others are unharmed', async () => {
  const [bad, good] = [await open(), await open()]
  await watch(good, null)
  bad.socket.send('nonsense')
  expect((await bad.closed).code).toBe(4400)
  const flood = await open()
  flood.socket.send('x'.repeat(LIVE.maxMessageBytes + 1))
  expect((await flood.closed).code).toBe(1009)
  weir.app.get(LiveBroadcast).tick('prod', new Date(), [])
  await good.until((message) => message.type === 'tick')
})

test('the control plane says goodbye with 1001', async () => {
  const own = await startTestApp()
  const client = await SocketClient.open(`${own.url}${LIVE.path}`, LIVE.subprotocol, {
    authorization: 'Bearer test-viewer',
  })
  if (typeof client === 'number') throw new Error(`answered ${client}`)
  await own.close()
  expect((await client.closed).code).toBe(1001)
})
