import { describe, expect, it } from 'vitest'
import { AgentsService } from './agents.service.ts'
import { DATABASE, HubBench, hello, ORDERS, type TestAgent } from './hub-bench.testkit.ts'

/** Two replicas over one database, on one time. */
class Pair {
  readonly one = new HubBench({}, { name: 'one' })
  readonly two = new HubBench({}, { name: 'two', beside: this.one })

  async pass(ms: number, alive = [this.one, this.two]): Promise<void> {
    for (let passed = 0; passed < ms; passed += 200) {
      this.one.clock.ms += 200
      for (const bench of alive) await bench.beat()
    }
  }

  /** The agents answer their pings meanwhile. */
  async talk(ms: number, agents: readonly TestAgent[], alive = [this.one, this.two]): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) {
      for (const agent of agents) agent.say({ type: 'pong', n: 0 })
      await this.pass(1_000, alive)
    }
  }

  async list(bench: HubBench) {
    const agents = new AgentsService(bench.hub, bench.store, DATABASE, bench.clock)
    const page = await agents.list('prod', { after: null, limit: 100 })
    if (!page.ok) throw new Error(page.refusal.detail)
    return page.value.items.map(({ instance, connected, presence }) => [instance, connected, presence])
  }
}
const start = async (): Promise<Pair> => {
  const pair = new Pair()
  await pair.one.publish(1)
  await pair.two.publish(1)
  return pair
}
const lastLease = (agent: TestAgent) => {
  const lease = agent.of('lease').at(-1)
  return [lease?.agents, lease?.rank]
}

describe('agents of one service on two replicas', () => {
  it('share evenly among all of them, each with a place of its own', async () => {
    const pair = await start()
    const agents = []
    for (const name of ['a', 'b', 'c', 'd']) {
      agents.push(await (name < 'c' ? pair.one : pair.two).connect(hello(name)))
      await pair.pass(200)
    }
    await pair.pass(3_000)
    expect(agents.map(lastLease)).toEqual([
      [4, 0],
      [4, 1],
      [4, 2],
      [4, 3],
    ])
  })

  it('are all in the list of either replica, connected', async () => {
    const pair = await start()
    await pair.one.connect(hello('a'))
    await pair.two.connect(hello('b'))
    await pair.pass(2_000)
    for (const bench of [pair.one, pair.two])
      expect(await pair.list(bench)).toEqual([
        ['a', true, 'live'],
        ['b', true, 'live'],
      ])
  })

  it('free their share on both when one says bye', async () => {
    const pair = await start()
    const stays = await pair.one.connect(hello('a'))
    const leaves = await pair.two.connect(hello('b'))
    await pair.talk(30_000, [stays, leaves])
    leaves.say({ type: 'bye', reason: 'done' })
    await pair.pass(3_000)
    expect(lastLease(stays)).toEqual([1, 0])
  })

  it('are told to the dashboards of the other replica', async () => {
    const pair = await start()
    pair.two.watched = true
    await pair.two.hub.room(ORDERS)
    await pair.two.connect(hello('b'))
    await pair.one.connect(hello('a'))
    await pair.pass(2_000)
    expect(pair.two.told.flatMap(({ instances }) => instances)).toContain('a')
  })

  it('keep their place when they go from one to the other, and the former does not call them lost', async () => {
    const pair = await start()
    const first = await pair.one.connect(hello('a'))
    await pair.one.connect(hello('b'))
    await pair.pass(2_000)
    first.hangUp()
    const again = await pair.two.connect(hello('a'))
    await pair.pass(5_000)
    expect(lastLease(again)).toEqual([2, 0])
    expect(await pair.list(pair.one)).toEqual([
      ['a', true, 'live'],
      ['b', true, 'live'],
    ])
  })

  it('that came back to another replica lose the socket that was left open', async () => {
    const pair = await start()
    const halfOpen = await pair.one.connect(hello('a'))
    await pair.pass(2_000)
    const again = await pair.two.connect(hello('a'))
    await pair.pass(3_000)
    expect(halfOpen.socket.closedWith?.code).toBe(4409)
    expect(again.socket.closedWith).toBeNull()
    expect(await pair.list(pair.one)).toEqual([['a', true, 'live']])
  })

  it('of a replica that died count until they come back or are dead, and are shown as lost', async () => {
    const pair = await start()
    const stays = await pair.one.connect(hello('a'))
    await pair.two.connect(hello('b'))
    await pair.pass(3_000)
    await pair.talk(30_000, [stays], [pair.one])
    expect(lastLease(stays)).toEqual([2, 0])
    expect(await pair.list(pair.one)).toEqual([
      ['a', true, 'live'],
      ['b', false, 'lost'],
    ])
    await pair.talk(600_000, [stays], [pair.one])
    expect(lastLease(stays)).toEqual([1, 0])
  })

  it('are not called dead while nobody can read what the others hear', async () => {
    const pair = await start()
    const stays = await pair.one.connect(hello('a'))
    await pair.two.connect(hello('b'))
    await pair.pass(3_000)
    Object.getPrototypeOf(pair.one.store).away = true
    await pair.talk(700_000, [stays], [pair.one])
    expect(lastLease(stays)).toEqual([2, 0])
  })
})
