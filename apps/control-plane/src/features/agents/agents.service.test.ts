import type { Agent } from '@weir/api'
import { describe, expect, it } from 'vitest'
import type { Rows } from '../paging.ts'
import type { Result } from '../result.ts'
import { AgentsService } from './agents.service.ts'
import type { AgentCursor } from './agents-port.ts'
import { DATABASE, HubBench, hello, ORDERS } from './hub-bench.testkit.ts'

const got = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.refusal.detail)
  return result.value
}

const setUp = async () => {
  const bench = new HubBench()
  await bench.publish(4)
  const service = () => {
    const agents = new AgentsService(bench.hub, bench.store, DATABASE, bench.clock)
    return {
      list: async (limit = 10, after: AgentCursor | null = null) =>
        got(await agents.list('prod', undefined, { limit, after })),
      receipts: async (limit: number, after: string | null = null) =>
        got(await agents.receipts(ORDERS, { limit, after })),
    }
  }
  return { bench, service }
}

describe('the list of agents', () => {
  it('shows what each made of the intended revision, as soon as it is known', async () => {
    const { bench, service } = await setUp()
    const agents = [
      await bench.connect(hello('applied')),
      await bench.connect(hello('partly')),
      await bench.connect(hello('pending')),
      await bench.connect(hello('refused', { modeOverride: 'off' })),
    ]
    agents[0]!.receipt(4, 'applied')
    agents[1]!.receipt(4, 'partly')
    agents[3]!.receipt(4, 'refused')
    const { items, more } = await service().list()
    expect(items.map((agent) => [agent.instance, agent.status, agent.appliedRevision, agent.refused.length])).toEqual([
      ['applied', 'applied', 4, 0],
      ['partly', 'partly', 4, 1],
      ['pending', 'pending', null, 0],
      ['refused', 'refused', null, 1],
    ])
    expect(items.map((agent) => agent.modeOverride)).toEqual([null, null, null, 'off'])
    expect(more).toBe(false)
  })

  it('pages without gaps or repeats', async () => {
    const { bench, service } = await setUp()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await bench.connect(hello(name))
    const seen: string[] = []
    for (let after: AgentCursor | null = null, more = true; more; ) {
      const page: Rows<Agent> = await service().list(2, after)
      seen.push(...page.items.map((agent) => agent.instance))
      after = page.items.at(-1) ?? null
      more = page.more
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('after a restart shows who is missing as lost, never as live', async () => {
    const { bench, service } = await setUp()
    await bench.connect(hello('a'))
    await bench.pass(1_000)
    bench.clock.ms += 60_000
    bench.start()
    const { items } = await service().list()
    expect(items[0]).toMatchObject({ instance: 'a', presence: 'lost', connected: false, status: 'pending' })
  })

  it('shows an agent that said bye as ended', async () => {
    const { bench, service } = await setUp()
    const agent = await bench.connect(hello('a'))
    agent.say({ type: 'bye', reason: 'ended' })
    expect((await service().list()).items[0]).toMatchObject({
      presence: 'ended',
      connected: false,
    })
  })
})

describe('receipts', () => {
  it('come newest first, in pages', async () => {
    const { bench, service } = await setUp()
    const agent = await bench.connect(hello('a'))
    for (const revision of [1, 2, 3]) agent.receipt(revision, 'applied')
    const first = await service().receipts(2)
    expect(first.items.map(({ row }) => row.revision)).toEqual([3, 2])
    const second = await service().receipts(2, first.items[1]?.id)
    expect(second.items.map(({ row }) => row.revision)).toEqual([1])
    expect(second.more).toBe(false)
  })
})

describe('those who watch a service', () => {
  it('are told once a second of agents whose row changed, and of those that left', async () => {
    const { bench } = await setUp()
    bench.watched = true
    const agent = await bench.connect(hello('a'))
    await bench.connect(hello('b'))
    await bench.hub.flush()
    agent.receipt(4, 'applied')
    await bench.hub.flush()
    agent.say({ type: 'bye', reason: 'ended' })
    await bench.hub.flush()
    expect(bench.told.map((one) => one.instances)).toEqual([['a', 'b'], ['a'], ['a']])
  })

  it('nobody watching, nothing is kept for them', async () => {
    const { bench } = await setUp()
    await bench.connect(hello('a'))
    await bench.hub.flush()
    bench.watched = true
    await bench.hub.flush()
    expect(bench.told).toEqual([])
  })
})
