import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BUILT_IN_POLICY } from '@weir/policy/model'
import { AGENT_PATHS, SUBPROTOCOL, WIRE } from '@weir/wire'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import WebSocket from 'ws'
import { DATABASE, HubBench, hashOf, hello, ORDERS } from '../features/agents/hub-bench.testkit.ts'
import type { TextSocket } from '../features/live/socket-port.ts'
import { SocketClient } from './socket-client.testkit.ts'
import { UpgradeRouter } from './upgrade-router.ts'

/** The kernel's own buffers of a loopback connection hold less than so many policies of this size. */
const PUSHES = 40
const POLICY_BYTES = 1_000_000

const bench = new HubBench()
const sockets: TextSocket[] = []
let server: Server
beforeEach(async () => {
  const router = new UpgradeRouter(
    [
      {
        path: AGENT_PATHS.socket,
        subprotocol: SUBPROTOCOL,
        maxMessageBytes: WIRE.maxAgentMessageBytes,
        admit: async () => {
          const room = await bench.hub.room(ORDERS)
          if (room === null) throw new Error('There is no such service.')
          const accept = (socket: TextSocket) => {
            sockets.push(socket)
            return bench.hub.connect(socket, { ...ORDERS, keyId: 'key', ip: '127.0.0.1' }, room)
          }
          return { ok: true, accept }
        },
      },
    ],
    (error) => bench.errors.push(error),
  )
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  router.attach(server)
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const connect = async (instance: string): Promise<SocketClient> => {
  const { port } = server.address() as AddressInfo
  const url = `ws://127.0.0.1:${port}${AGENT_PATHS.socket}`
  const client = await SocketClient.open(url, SUBPROTOCOL, {})
  if (typeof client === 'number') throw new Error(`answered ${client}`)
  client.say(hello(instance))
  await client.until(({ type }) => type === 'lease')
  return client
}

const large = (revision: number) => {
  const tenants = Object.fromEntries(
    Array.from({ length: POLICY_BYTES / 100 }, (_, i) => [
      `tenant ${i} of revision ${revision}`,
      { rate: 1, burst: 1, concurrency: null, weight: 1 },
    ]),
  )
  return { policy: BUILT_IN_POLICY, quotas: { checkout: tenants } }
}

it('an agent that stops reading holds at most one policy in memory, has the newest once it reads, or is dropped; others have each at once', async () => {
  const [slow, well] = [await connect('slow'), await connect('well')]
  const [slowSocket] = sockets as [TextSocket]
  slow.socket.pause()
  let most = 0
  for (let revision = 1; revision <= PUSHES; revision++) {
    await bench.publish(revision, large(revision))
    await well.until((message) => message.type === 'snapshot' && message.revision === revision)
    well.say({
      type: 'receipt',
      databaseId: DATABASE,
      revision,
      hash: hashOf(revision),
      status: 'applied',
      refused: [],
    })
    most = Math.max(most, slowSocket.bufferedBytes)
  }
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThan(2 * POLICY_BYTES)

  slow.socket.resume()
  await vi.waitFor(
    () => {
      bench.hub.beat()
      expect(slow.of('snapshot').at(-1)?.revision).toBe(PUSHES)
    },
    { timeout: 20_000 },
  )
  expect(slow.of('snapshot').length).toBeLessThan(PUSHES)

  slow.socket.pause()
  for (let revision = PUSHES + 1; slowSocket.bufferedBytes === 0; revision++)
    await bench.publish(revision, large(revision))
  expect(slow.socket.readyState).toBe(WebSocket.OPEN)
  // It is heard of, for it still sends; it only does not read.
  for (let seconds = 0; seconds <= 32; seconds++) {
    slow.say({ type: 'pong', n: seconds })
    await bench.pass(1_000)
    await new Promise(setImmediate)
  }
  slow.socket.resume()
  expect((await slow.closed).code).toBe(1006)
  expect(bench.errors).toEqual([])
})
