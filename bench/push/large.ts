import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BUILT_IN_POLICY, type EffectivePolicy } from '@weir/policy/model'
import { AGENT_PATHS, SUBPROTOCOL, WIRE } from '@weir/wire'
import { HubBench, ORDERS } from '../../apps/control-plane/src/features/agents/hub-bench.testkit.ts'
import type { TextSocket } from '../../apps/control-plane/src/features/live/socket-port.ts'
import { UpgradeRouter } from '../../apps/control-plane/src/ws/upgrade-router.ts'
import { median } from '../rounds.ts'
import { ask, child, share } from './children.ts'
import { type Answer, epochMs } from './message.ts'

const ROUNDS = 5
/** With names of 40 characters they make an effective policy of nearly 1 MiB: as much as there may be. */
const QUOTAS = 10_000
const NAME = 40

export interface LargeFigures {
  readonly snapshotBytes: number
  readonly deltaBytes: number
  /** From the publish to the 99 % agent, and processor time of the control plane until all have it. */
  readonly snapshotMs: number
  readonly deltaMs: number
  readonly snapshotCpuMs: number
  readonly deltaCpuMs: number
}

/** The real sockets and hub, without a database: one quota of ten thousand is another one, and all of them are. */
export const largePush = async (count: number): Promise<LargeFigures> => {
  const bench = new HubBench({ instancesPerKey: count, helloBurst: count })
  const admit = async () => {
    const room = await bench.hub.room(ORDERS)
    if (room === null) throw new Error('There is no such service.')
    const accept = (socket: TextSocket) => bench.hub.connect(socket, { ...ORDERS, keyId: 'key', ip: '' }, room)
    return { ok: true, accept } as const
  }
  const endpoint = { path: AGENT_PATHS.socket, subprotocol: SUBPROTOCOL, maxMessageBytes: WIRE.maxAgentMessageBytes }
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  new UpgradeRouter([{ ...endpoint, admit }], (error) => bench.errors.push(error)).attach(server)
  const agents = child(new URL('sockets.ts', import.meta.url))
  try {
    await bench.publish(1, policyOf(1, 1))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await ask<Extract<Answer, { type: 'opened' }>>(agents, { type: 'open', url, keys: ['key'], count })
    let revision = 1
    const push = async (policy: EffectivePolicy) => {
      const arrived = ask<Extract<Answer, { type: 'arrived' }>>(agents, { type: 'expect' })
      const [from, used] = [epochMs(), process.cpuUsage()]
      await bench.publish(++revision, policy)
      const { at, bytes } = await arrived
      const { user, system } = process.cpuUsage(used)
      bench.hub.beat()
      return { ms: share(at, 0.99) - from, cpuMs: (user + system) / 1_000, bytes }
    }
    const rounds = { one: [] as Pushed[], all: [] as Pushed[] }
    for (let round = 1; round <= ROUNDS; round++) {
      rounds.all.push(await push(policyOf(1, round + 1)))
      rounds.one.push(await push(policyOf(round + 1, round + 1)))
    }
    const of = (kind: keyof typeof rounds, figure: keyof Pushed) => median(rounds[kind].map((pushed) => pushed[figure]))
    return {
      snapshotBytes: of('all', 'bytes'),
      deltaBytes: of('one', 'bytes'),
      snapshotMs: of('all', 'ms'),
      deltaMs: of('one', 'ms'),
      snapshotCpuMs: of('all', 'cpuMs'),
      deltaCpuMs: of('one', 'cpuMs'),
    }
  } finally {
    agents.kill()
    server.closeAllConnections()
    server.close()
  }
}

interface Pushed {
  readonly ms: number
  readonly cpuMs: number
  readonly bytes: number
}

/** The first quota has a rate of its own; the burst is that of all. */
const policyOf = (rate: number, burst: number): EffectivePolicy => ({
  policy: BUILT_IN_POLICY,
  quotas: {
    checkout: Object.fromEntries(
      Array.from({ length: QUOTAS }, (_, i) => [
        `tenant ${i} `.padEnd(NAME, 'x'),
        { rate: i === 0 ? rate : 1, burst, concurrency: null, weight: 1 },
      ]),
    ),
  },
})
