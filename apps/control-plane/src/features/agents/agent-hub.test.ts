import { describe, expect, it } from 'vitest'
import { DATABASE, HubBench, hashOf, hello, policyOf } from './hub-bench.testkit.ts'

const identity = (revision: number) => ({ databaseId: DATABASE, revision, hash: hashOf(revision) })

describe('a hello', () => {
  it('is answered with how to talk, the share, and the policy, in that order', async () => {
    const bench = new HubBench()
    await bench.publish(3)
    const agent = await bench.connect(hello('a'))
    expect(agent.socket.types()).toEqual(['welcome', 'lease', 'snapshot'])
    expect(agent.of('welcome')[0]).toEqual({
      type: 'welcome',
      databaseId: DATABASE,
      environment: 'prod',
      service: 'orders',
      heartbeatMs: 5_000,
      reportMs: 1_000,
      exportMs: 1_000,
    })
    expect(agent.of('snapshot')[0]).toMatchObject({ ...identity(3), effective: { quotas: {} } })
  })

  it.each([
    ['runs on it already', identity(3), 0],
    ['runs on an earlier one', identity(2), 1],
    ['runs on the same number with another hash', { ...identity(3), hash: hashOf(99) }, 1],
    ['is ahead of a restored database', identity(9), 0],
    ['comes from another database', { ...identity(9), databaseId: 'db-0' }, 1],
  ])('an agent that %s gets as many snapshots as it needs', async (_, applied, snapshots) => {
    const bench = new HubBench()
    await bench.publish(3)
    const agent = await bench.connect(hello('a', { applied }))
    expect(agent.of('snapshot')).toHaveLength(snapshots)
  })

  it('from another database is told once for each, however many come over', async () => {
    const bench = new HubBench()
    await bench.publish(3)
    for (const name of ['a', 'b']) await bench.connect(hello(name, { applied: { ...identity(9), databaseId: 'db-0' } }))
    expect(bench.databases).toEqual([{ instance: 'a', from: 'db-0' }])
  })

  it('that does not come within 5 s closes the socket with 4408', async () => {
    const bench = new HubBench()
    const silent = await bench.connect(null)
    await bench.pass(5_000)
    expect(silent.socket.closedWith).toBeNull()
    await bench.pass(200)
    expect(silent.socket.closedWith?.code).toBe(4408)
    expect(bench.hub.misbehaviours['no-hello']).toBe(1)
  })

  it('of the same instance replaces the former socket and keeps its place', async () => {
    const bench = new HubBench()
    const first = await bench.connect(hello('a'))
    await bench.connect(hello('b'))
    const again = await bench.connect(hello('a', { boot: 'second' }))
    expect(first.socket.closedWith?.code).toBe(4409)
    expect(again.of('lease')).toEqual([{ type: 'lease', allocator: 'even', agents: 2, rank: 0 }])
    expect(bench.hub.connected).toBe(2)
  })

  it('that takes its time finds the same room as those that came after', async () => {
    const bench = new HubBench()
    const slow = await bench.connect(null)
    await bench.pass(1_000)
    await bench.connect(hello('b'))
    slow.say(hello('a'))
    expect(slow.of('lease')).toEqual([{ type: 'lease', allocator: 'even', agents: 2, rank: 1, scales: {} }])
  })

  it('a second one on the same socket, and anything before the first, is a protocol error', async () => {
    const bench = new HubBench()
    const twice = await bench.connect(hello('a'))
    twice.say(hello('a'))
    const early = await bench.connect(null)
    early.receipt(3, 'applied')
    expect([twice.socket.closedWith?.code, early.socket.closedWith?.code]).toEqual([4400, 4400])
  })

  it('over the bounds of its key is refused with 4429, other keys are unharmed', async () => {
    const bench = new HubBench({ instancesPerKey: 2 })
    await bench.connect(hello('a'))
    const second = await bench.connect(hello('b'))
    const third = await bench.connect(hello('c'))
    const other = await bench.connect(hello('d'), 'key-2')
    expect(third.socket.closedWith?.code).toBe(4429)
    expect(other.of('welcome')).toHaveLength(1)
    const again = await bench.connect(hello('b'))
    expect(second.socket.closedWith?.code).toBe(4409)
    expect(again.of('welcome')).toHaveLength(1)
  })

  it('a client that invents instances does not grow the divisor for ever', async () => {
    const bench = new HubBench({ instancesPerKey: 2 })
    for (let n = 0; n < 10; n++) (await bench.connect(hello(`made-up-${n}`))).hangUp()
    expect((await bench.hub.room({ environment: 'prod', service: 'orders' }))?.roster.size).toBe(4)
  })

  it('too many of one key a second are refused', async () => {
    const bench = new HubBench({ helloBurst: 3, hellosPerSecond: 1 })
    const agents = []
    for (let n = 0; n < 4; n++) agents.push(await bench.connect(hello('a')))
    expect(agents.map((agent) => agent.socket.closedWith?.code ?? 0)).toEqual([4409, 4409, 0, 4429])
  })
})

describe('a publish', () => {
  it('is one text for all sockets of the service', async () => {
    const bench = new HubBench()
    const agents = []
    for (let n = 0; n < 50; n++) agents.push(await bench.connect(hello(`a${n}`)))
    await bench.publish(4)
    const texts = agents.map((agent) => agent.socket.sent.find((text) => text.includes('"snapshot"')))
    expect(new Set(texts)).toEqual(new Set([policyOf(4).snapshot.toString()]))
  })

  it('hinted twice, or late with a lower revision, is pushed once and never back', async () => {
    const bench = new HubBench()
    const agent = await bench.connect(hello('a'))
    await Promise.all([bench.publish(4), bench.hub.refresh(bench.serviceId), bench.hub.refresh(bench.serviceId)])
    await bench.publish(3)
    expect(agent.of('snapshot').map((message) => message.revision)).toEqual([4])
  })

  it('a refused revision is not re-sent in a loop: neither by another hint nor after a reconnect of that process', async () => {
    const bench = new HubBench()
    await bench.publish(4)
    const agent = await bench.connect(hello('a'))
    agent.receipt(4, 'refused')
    await bench.publish(4)
    await bench.pass(10_000, () => agent.say({ type: 'pong', n: 0 }))
    expect(agent.of('snapshot')).toHaveLength(1)
    agent.hangUp()
    expect((await bench.connect(hello('a'))).of('snapshot')).toHaveLength(0)
    expect((await bench.connect(hello('a', { boot: 'a newer program' }))).of('snapshot')).toHaveLength(1)
  })

  it('skips a slow agent to the newest revision and never queues for it', async () => {
    const bench = new HubBench()
    const slow = await bench.connect(hello('slow'))
    slow.socket.bufferedBytes = 70_000
    for (let revision = 1; revision <= 20; revision++) await bench.publish(revision)
    await bench.pass(10_000, () => slow.say({ type: 'pong', n: 0 }))
    expect(slow.socket.types()).toEqual(['welcome', 'lease'])
    slow.socket.bufferedBytes = 0
    await bench.pass(400)
    expect(slow.of('snapshot').map((message) => message.revision)).toEqual([20])
  })

  it('reaches an agent that came while the policy was being read', async () => {
    const bench = new HubBench()
    const connecting = bench.connect(hello('a'))
    const publishing = bench.publish(5)
    const agent = await connecting
    await publishing
    expect(agent.of('snapshot').map((message) => message.revision)).toEqual([5])
  })
})

describe('heartbeats', () => {
  it('come every 5 s; an agent that misses three is dropped and is lost, not gone', async () => {
    const bench = new HubBench()
    const dead = await bench.connect(hello('dead'))
    const alive = await bench.connect(hello('alive'))
    await bench.pass(15_200, () => alive.say({ type: 'pong', n: 0 }))
    expect(dead.of('ping')).toHaveLength(3)
    expect(dead.socket.terminated).toBe(true)
    expect(alive.socket.terminated).toBe(false)
    expect(alive.of('lease').at(-1)).toMatchObject({ agents: 2 })
  })

  it('are spread over the time between two, however many agents came at one moment', async () => {
    const bench = new HubBench()
    const agents = await Promise.all(Array.from({ length: 100 }, (_, i) => bench.connect(hello(`a${i}`))))
    const pinged: number[] = []
    for (let i = 0; i < 25; i++) {
      await bench.pass(200)
      pinged.push(agents.reduce((sum, agent) => sum + agent.of('ping').length, 0) - pinged.reduce((a, b) => a + b, 0))
    }
    expect(pinged.reduce((a, b) => a + b, 0)).toBeGreaterThanOrEqual(99)
    expect(Math.max(...pinged)).toBeLessThanOrEqual(6)
  })
})

describe('bounds of a socket', () => {
  it('one that is not read is dropped after half a minute, though it still speaks, and at once past a bound', async () => {
    const bench = new HubBench()
    const [slow, slower] = [await bench.connect(hello('slow')), await bench.connect(hello('slower'))]
    slow.socket.bufferedBytes = 70_000
    await bench.pass(30_000, () => {
      for (const agent of [slow, slower]) agent.say({ type: 'pong', n: 0 })
    })
    expect(slow.socket.terminated).toBe(false)
    slow.socket.bufferedBytes = 0
    await bench.pass(200)
    slow.socket.bufferedBytes = 70_000
    await bench.pass(30_400, () => {
      for (const agent of [slow, slower]) agent.say({ type: 'pong', n: 0 })
    })
    expect([slow.socket.terminated, slower.socket.terminated]).toEqual([true, false])
    slower.socket.bufferedBytes = 5_000_000
    await bench.hub.drain()
    expect([slower.socket.terminated, slower.of('drain')]).toEqual([true, []])
  })

  it.each([
    ['not JSON', 'hello?', 4400, 'malformed'],
    ['of an unknown type', '{"type":"shout"}', 4400, 'malformed'],
    ['binary', null, 4400, 'malformed'],
    ['longer than the bound', JSON.stringify({ type: 'bye', reason: 'x'.repeat(262_144) }), 1009, 'too-big'],
  ] as const)(
    'a message that is %s closes it with a reason, counted and told, others unharmed',
    async (_, text, code, how) => {
      const bench = new HubBench()
      const bad = await bench.connect(hello('bad'))
      const good = await bench.connect(hello('good'))
      bad.raw(text)
      expect(bad.socket.closedWith?.code).toBe(code)
      expect(bad.socket.closedWith?.reason).not.toBe('')
      expect(bench.hub.misbehaviours[how]).toBe(1)
      expect(bench.misbehaviours).toEqual([{ how, instance: 'bad' }])
      await bench.publish(1)
      expect(good.of('snapshot')).toHaveLength(1)
    },
  )

  it('a flood is closed with 4429; twenty a second is not a flood', async () => {
    const bench = new HubBench()
    const busy = await bench.connect(hello('busy'))
    await bench.pass(60_000, () => {
      for (let n = 0; n < 20; n++) busy.say({ type: 'pong', n })
    })
    expect(busy.socket.closedWith).toBeNull()
    for (let n = 0; n < 201; n++) busy.say({ type: 'pong', n })
    expect(busy.socket.closedWith?.code).toBe(4429)
  })

  it('a closed socket is deaf', async () => {
    const bench = new HubBench()
    const bad = await bench.connect(hello('bad'))
    bad.raw('x')
    bad.receipt(1, 'applied')
    await bench.pass(1_000)
    expect(bench.store.receiptRows).toEqual([])
  })
})

describe('a revoked key', () => {
  it('closes its sockets at once and no others', async () => {
    const bench = new HubBench()
    const agents = [await bench.connect(hello('a'), 'k1'), await bench.connect(hello('b'), 'k2')]
    bench.hub.keyRevoked('k1')
    expect(agents.map((agent) => agent.socket.closedWith?.code ?? null)).toEqual([4401, null])
  })

  it('lets nobody in who was being checked while it was revoked', async () => {
    const bench = new HubBench()
    bench.hub.keyRevoked('k1')
    expect((await bench.connect(hello('a'), 'k1')).socket.closedWith?.code).toBe(4401)
  })
})

describe('a planned end', () => {
  it('says when to come back, closes with 1001, and writes what is known', async () => {
    const bench = new HubBench()
    const agent = await bench.connect(hello('a'))
    await bench.hub.drain()
    expect(agent.of('drain')).toEqual([{ type: 'drain', minMs: 1_000, maxMs: 5_000 }])
    expect(agent.socket.closedWith?.code).toBe(1001)
    expect([...bench.store.agents.values()].map(({ record, connected }) => [record.instance, connected])).toEqual([
      ['a', false],
    ])
    expect(bench.hub.isFull).toBe(true)
  })
})
