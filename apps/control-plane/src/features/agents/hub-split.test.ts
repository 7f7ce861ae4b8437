import { describe, expect, it } from 'vitest'
import { HubBench, hello, ORDERS, type TestAgent } from './hub-bench.testkit.ts'

const lease = (agent: TestAgent): [number, number] => {
  const last = agent.of('lease').at(-1)
  return [Number(last?.agents), Number(last?.rank)]
}
const pong =
  (...agents: TestAgent[]) =>
  () => {
    for (const agent of agents) agent.say({ type: 'pong', n: 0 })
  }

describe('the split among connected agents', () => {
  it('grows at once for the newcomer and within a beat for the others', async () => {
    const bench = new HubBench()
    const [a, b] = [await bench.connect(hello('a')), await bench.connect(hello('b'))]
    expect(lease(b)).toEqual([2, 1])
    await bench.pass(200)
    expect(lease(a)).toEqual([2, 0])
  })

  it('is re-sent only where it changed', async () => {
    const bench = new HubBench()
    const a = await bench.connect(hello('a'))
    await bench.pass(60_000, pong(a))
    expect(a.of('lease')).toHaveLength(1)
  })

  it('shrinks when an agent says bye, ranks stay dense', async () => {
    const bench = new HubBench()
    const agents = [await bench.connect(hello('a')), await bench.connect(hello('b')), await bench.connect(hello('c'))]
    await bench.pass(15_000, pong(...agents))
    agents[0]!.say({ type: 'bye', reason: 'ended' })
    expect(agents[0]!.socket.closedWith?.code).toBe(1000)
    await bench.pass(200)
    expect(agents.slice(1).map(lease)).toEqual([
      [2, 0],
      [2, 1],
    ])
  })

  it('keeps a lost agent for ten minutes and then gives its share back', async () => {
    const bench = new HubBench()
    const [a, b] = [await bench.connect(hello('a')), await bench.connect(hello('b'))]
    b.hangUp()
    await bench.pass(599_800, pong(a))
    expect(lease(a)).toEqual([2, 0])
    await bench.pass(400, pong(a))
    expect(lease(a)).toEqual([1, 0])
    await bench.hub.flush()
    expect(
      [...bench.store.agents.values()].find(({ record }) => record.instance === 'b')?.record.endedAtMs,
    ).not.toBeNull()
  })

  it('an agent that comes back in time has its old place', async () => {
    const bench = new HubBench()
    const [a, b] = [await bench.connect(hello('a')), await bench.connect(hello('b'))]
    a.hangUp()
    await bench.pass(300_000, pong(b))
    expect(lease(await bench.connect(hello('a')))).toEqual([2, 0])
  })

  it('polling keeps an agent without a socket in the split', async () => {
    const bench = new HubBench()
    const [a, b] = [await bench.connect(hello('a')), await bench.connect(hello('b'))]
    b.hangUp()
    await bench.pass(700_000, () => {
      pong(a)()
      void bench.hub.polled({ ...ORDERS, keyId: 'key-1', ip: '10.0.0.7' }, 'b', '10.0.0.7')
    })
    expect(lease(a)).toEqual([2, 0])
  })

  it('a poller is told its share, and counts in that of the others', async () => {
    const bench = new HubBench()
    const key = { ...ORDERS, keyId: 'key-1', ip: '10.0.0.7' }
    const poll = async (instance: string | null) => (await bench.hub.polled(key, instance, '10.0.0.7')).split
    const a = await bench.connect(hello('a'))
    expect(await poll('b')).toEqual({ agents: 2, rank: 1 })
    expect(await poll('c')).toEqual({ agents: 3, rank: 2 })
    await bench.pass(1_000, pong(a))
    expect(lease(a)).toEqual([3, 0])
    expect([await poll('b'), await poll(null)]).toEqual([{ agents: 3, rank: 1 }, null])
  })

  it('a poller for which its key has no room is told no share', async () => {
    const bench = new HubBench({ instancesPerKey: 1 })
    const key = { ...ORDERS, keyId: 'key-1', ip: '10.0.0.7' }
    await bench.hub.polled(key, 'a', '10.0.0.7')
    expect((await bench.hub.polled(key, 'b', '10.0.0.7')).split).toBeNull()
  })

  it('above fifty agents exports get sparse, and dense again only well below', async () => {
    const bench = new HubBench()
    const agents: TestAgent[] = []
    for (let n = 0; n < 51; n++) agents.push(await bench.connect(hello(`a${n}`)))
    const first = agents[0]!
    await bench.pass(16_000, pong(...agents))
    expect(first.of('settings')).toEqual([{ type: 'settings', reportMs: 10_000, exportMs: 10_000 }])
    for (const agent of agents.slice(41)) agent.say({ type: 'bye', reason: 'scale in' })
    await bench.pass(1_000, pong(...agents.slice(0, 41)))
    expect(first.of('settings')).toHaveLength(1)
    agents[40]!.say({ type: 'bye', reason: 'scale in' })
    await bench.pass(1_000)
    expect(first.of('settings').at(-1)).toEqual({ type: 'settings', reportMs: 1_000, exportMs: 1_000 })
  })
})

describe('the split over a restart of the control plane', () => {
  it('remembers the divisor from the store', async () => {
    const bench = new HubBench()
    for (const name of ['a', 'b', 'c']) await bench.connect(hello(name))
    await bench.pass(1_000)
    bench.start()
    expect(lease(await bench.connect(hello('b')))).toEqual([3, 1])
  })

  it('shrinks for nothing within three heartbeats, and then does', async () => {
    const bench = new HubBench()
    for (const name of ['a', 'b', 'c']) await bench.connect(hello(name))
    await bench.pass(1_000)
    bench.start()
    const [a, b, c] = [
      await bench.connect(hello('a')),
      await bench.connect(hello('b')),
      await bench.connect(hello('c')),
    ]
    c.say({ type: 'bye', reason: 'ended' })
    await bench.pass(14_800, pong(a, b))
    expect([lease(a), lease(b)]).toEqual([
      [3, 0],
      [3, 1],
    ])
    await bench.pass(400, pong(a, b))
    expect([lease(a), lease(b)]).toEqual([
      [2, 0],
      [2, 1],
    ])
  })

  it('after an outage longer than presumed-dead nobody loses a share before they could come back', async () => {
    const bench = new HubBench()
    for (const name of ['a', 'b', 'c']) await bench.connect(hello(name))
    await bench.pass(1_000)
    bench.clock.ms += 3_600_000
    bench.start()
    const a = await bench.connect(hello('a'))
    await bench.pass(44_000, pong(a))
    expect(lease(a)).toEqual([3, 0])
    await bench.pass(2_000, pong(a))
    expect(lease(a)).toEqual([1, 0])
  })

  it('while the store is away states wait and the newest receipts are kept', async () => {
    const bench = new HubBench({ receiptBuffer: 3 })
    await bench.publish(1)
    const a = await bench.connect(hello('a'))
    bench.store.away = true
    for (let revision = 1; revision <= 5; revision++) a.receipt(revision, 'applied')
    await bench.pass(3_000, pong(a))
    expect(bench.errors.length).toBeGreaterThan(0)
    bench.store.away = false
    await bench.pass(1_000)
    expect(bench.store.receiptRows.map((row) => row.revision)).toEqual([3, 4, 5])
    expect([...bench.store.agents.values()].map(({ record }) => record.applied?.revision)).toEqual([5])
  })

  it('heartbeats alone lead to one small write every five seconds', async () => {
    const bench = new HubBench()
    const agents: TestAgent[] = []
    for (let n = 0; n < 20; n++) agents.push(await bench.connect(hello(`a${n}`)))
    await bench.pass(2_000, pong(...agents))
    bench.store.writes = []
    await bench.pass(30_000, pong(...agents))
    expect(bench.store.writes.length).toBeLessThanOrEqual(7)
    expect(new Set(bench.store.writes)).toEqual(new Set([0]))
    const ages = [...bench.store.agents.values()].map(({ record }) => bench.clock.wallMs() - record.lastHeardAtMs)
    expect(Math.max(...ages)).toBeLessThanOrEqual(6_000)
  })
})
