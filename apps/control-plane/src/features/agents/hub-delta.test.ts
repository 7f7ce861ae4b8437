import { BUILT_IN_POLICY, type EffectivePolicy } from '@weir/policy/model'
import { describe, expect, it } from 'vitest'
import { DATABASE, HubBench, hashOf, hello } from './hub-bench.testkit.ts'

const TENANTS = 1_000

/** One that is large, with one quota that differs. */
const large = (revision: number): EffectivePolicy => ({
  policy: BUILT_IN_POLICY,
  quotas: {
    checkout: Object.fromEntries(
      Array.from({ length: TENANTS }, (_, i) => [
        `tenant ${i}`,
        { rate: i === 7 ? revision : 1, burst: 1, concurrency: null, weight: 1 },
      ]),
    ),
  },
})
const applied = (revision: number) => ({ databaseId: DATABASE, revision, hash: hashOf(revision) })
const rig = async () => {
  const bench = new HubBench()
  await bench.publish(1, large(1))
  const agent = await bench.connect(hello('a'))
  return { bench, agent, publish: (revision: number) => bench.publish(revision, large(revision)) }
}

describe('a large policy that was edited', () => {
  it('goes out as what is different, one text for all that have what was before', async () => {
    const { bench, agent, publish } = await rig()
    const other = await bench.connect(hello('b', { applied: applied(1), source: 'disk' }))
    await publish(2)
    const delta = {
      type: 'delta',
      ...applied(2),
      from: { revision: 1, hash: hashOf(1) },
      changes: [{ path: ['quotas', 'checkout', 'tenant 7', 'rate'], value: 2 }],
    }
    expect(agent.of('delta')).toEqual([delta])
    expect(other.of('delta')).toEqual([delta])
    expect([agent.of('snapshot').length, other.of('snapshot').length]).toEqual([1, 0])
  })

  it('goes out whole to whoever has another base: none, an older one, or a newer one that it missed while it was slow', async () => {
    const { bench, agent, publish } = await rig()
    await publish(2)
    const fresh = await bench.connect(hello('fresh'))
    const older = await bench.connect(hello('older', { applied: { ...applied(1), hash: hashOf(99) } }))
    agent.socket.bufferedBytes = 70_000
    await publish(3)
    await publish(4)
    agent.socket.bufferedBytes = 0
    await bench.pass(400)
    const seen = [fresh, older, agent].map((one) => [...one.of('snapshot'), ...one.of('delta')].map((m) => m.type))
    expect(seen).toEqual([
      ['snapshot', 'delta', 'delta'],
      ['snapshot', 'delta', 'delta'],
      ['snapshot', 'snapshot', 'delta'],
    ])
    expect(agent.of('snapshot').map(({ revision }) => revision)).toEqual([1, 4])
  })

  it('goes out whole, once, where a delta did not apply; who had none gets nothing for asking', async () => {
    const { bench, agent, publish } = await rig()
    agent.say({ type: 'resync', revision: 1 })
    await publish(2)
    agent.say({ type: 'resync', revision: 2 })
    agent.say({ type: 'resync', revision: 2 })
    expect(agent.of('snapshot').map(({ revision }) => revision)).toEqual([1, 2])
    await publish(3)
    expect(agent.of('delta').map(({ revision }) => revision)).toEqual([2, 3])
    expect(bench.misbehaviours).toEqual([])
  })

  it('goes out whole where most of it is new, where it is small, and to agents of another database', async () => {
    const bench = new HubBench()
    await bench.publish(1, large(1))
    const agent = await bench.connect(hello('a', { applied: { ...applied(1), databaseId: 'other' } }))
    const renamed = large(2).quotas.checkout ?? {}
    const quotas = Object.fromEntries(Object.entries(renamed).map(([tenant, quota]) => [`${tenant}!`, quota]))
    await bench.publish(2, { policy: BUILT_IN_POLICY, quotas: { checkout: quotas } })
    await bench.publish(3)
    await bench.publish(4)
    expect(agent.socket.types()).toEqual(['welcome', 'lease', 'snapshot', 'snapshot', 'snapshot', 'snapshot'])
  })
})
