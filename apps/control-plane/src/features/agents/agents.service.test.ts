import type { Agent } from '@weir/api'
import type { AgentMessage } from '@weir/wire'
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
      list: async (limit = 10, after: AgentCursor | null = null) => got(await agents.list('prod', { limit, after })),
      reported: async () => got(await agents.reported(ORDERS)),
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

describe('what agents say of themselves', () => {
  const gate = {
    name: 'checkout',
    mode: 'enforce' as const,
    limit: 20,
    active: 5,
    zombies: 1,
    waiting: 2,
    oldestAgeMs: 0,
    level: 0,
  }
  const call = { name: 'bank', ceiling: 5, inFlight: 1, breaker: 'open' as const, breakerMode: 'auto', budgetLeft: 0.5 }
  const mails = { gate: 'mails', topic: 'sent', lagMs: 9_000, inHand: 2, running: 1, paused: true }
  const report = (sequence: number, over: object = {}): AgentMessage =>
    ({
      type: 'report',
      sequence,
      source: 'stream',
      gates: [gate],
      dependencies: [call],
      consumers: [mails],
      scales: {},
      uncounted: false,
      ...over,
    }) as AgentMessage

  it('is summed over the live ones: limits are per process', async () => {
    const { bench, service } = await setUp()
    const [a, b, gone] = [
      await bench.connect(hello('a')),
      await bench.connect(hello('b', { modeOverride: 'observe' })),
      await bench.connect(hello('c')),
    ]
    for (const agent of [a, b, gone]) agent.say(report(1))
    b.say(
      report(2, {
        gates: [{ ...gate, mode: 'observe', level: 3 }],
        dependencies: [{ ...call, breaker: 'half-open', budgetLeft: 0.25 }],
        consumers: [{ ...mails, lagMs: null, paused: false }],
      }),
    )
    gone.say({ type: 'bye', reason: 'ended' })
    expect(await service().reported()).toEqual({
      gates: [
        {
          name: 'checkout',
          processes: 2,
          limit: 40,
          inFlight: 12,
          waiting: 4,
          level: 3,
          modes: { enforce: 1, observe: 1, off: 0 },
          forced: 1,
        },
      ],
      dependencies: [{ name: 'bank', processes: 2, open: 1, halfOpen: 1, budgetLeft: 0.25 }],
      consumers: [{ gate: 'mails', topic: 'sent', processes: 2, paused: 1, inHand: 4, running: 2, lagMs: 9_000 }],
    })
  })

  it('is found by in the list as soon as it is said: outside of what is counted, or on another policy than the pushed one', async () => {
    const { bench, service } = await setUp()
    const agent = await bench.connect(hello('a', { source: 'stream' }))
    const counts = async () => {
      const { uncounted, fallback } = (await service().list()).counts
      return [uncounted, fallback]
    }
    expect(await counts()).toEqual([0, 0])
    agent.say(report(1, { uncounted: true, source: 'disk' }))
    expect(await counts()).toEqual([1, 1])
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
