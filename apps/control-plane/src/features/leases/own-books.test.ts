import type { LeaseAsked, LeaseGranted, Quotas } from '@weir/policy/model'
import { describe, expect, it } from 'vitest'
import type { BookBefore } from './lease-book.ts'
import type { LeaseSeat } from './leases-port.ts'
import { OwnBooks } from './own-books.ts'

const quotas = (slots: number): Quotas => ({
  checkout: { acme: { rate: null, burst: null, concurrency: slots, weight: 1 } },
})
const seat = (instance: string): LeaseSeat => ({
  serviceId: 'orders',
  environment: 'prod',
  service: 'orders',
  instance,
  openedMs: 0,
})
const SLOTS = { resource: 'checkout', tenant: 'acme', kind: 'slots' } as const
const wants = (want: number): LeaseAsked[] => [{ ...SLOTS, want, spare: 0, used: 0, inUse: 0, held: null }]

const rig = () => {
  const state = {
    nowMs: 0,
    agents: ['a'] as string[],
    largest: {} as Quotas,
    away: false,
    inForce: { revision: 1, quotas: quotas(100) },
    errors: [] as unknown[],
    opened: 0,
    withinMs: 0,
  }
  let hold = Promise.resolve()
  let release = () => {}
  const books = new OwnBooks({
    store: {
      before: async (_: string, withinMs: number): Promise<BookBefore> => {
        state.opened++
        state.withinMs = withinMs
        await hold
        if (state.away) throw new Error('The store is away.')
        return { agents: new Set(state.agents), quotas: state.largest }
      },
    },
    inForce: async () => state.inForce,
    monotonicMs: () => state.nowMs,
    random: () => 0,
    epoch: () => `book ${state.opened}`,
    onError: (error) => state.errors.push(error),
  })
  const answers: (readonly LeaseGranted[])[] = []
  const ask = (instance: string, want: number) => {
    state.nowMs++
    books.ask(seat(instance), wants(want), (granted) => answers.push(granted))
  }
  return {
    state,
    books,
    answers,
    ask,
    units: () => answers.map((granted) => granted[0]?.grant.units ?? null),
    slow: () => {
      hold = new Promise((resolve) => {
        release = resolve
      })
    },
    go: async () => {
      release()
      for (let i = 0; i < 20; i++) await Promise.resolve()
    },
  }
}

describe('the books of one process', () => {
  it('are opened by the first question, once, and then answer at once', async () => {
    const { state, ask, units, go } = rig()
    ask('a', 5)
    expect(units()).toEqual([])
    await go()
    expect(units()).toEqual([5])
    ask('a', 7)
    expect([units(), state.opened, state.withinMs]).toEqual([[5, 7], 1, 660_000])
  })

  it('answer of each agent that waited the newest question only', async () => {
    const { ask, units, answers, go, slow, state } = rig()
    slow()
    ask('a', 5)
    ask('a', 6)
    state.agents = []
    await go()
    expect([units(), answers.length]).toEqual([[6], 1])
  })

  it('grant nothing that agents of before may hold, and learn from those that come', async () => {
    const { ask, units, go, state } = rig()
    state.agents = ['a', 'b']
    state.largest = quotas(100)
    ask('c', 5)
    await go()
    ask('a', 1)
    ask('b', 1)
    ask('c', 5)
    expect(units()).toEqual([0, 0, 1, 5])
  })

  it('that cannot be opened are tried again at the next question', async () => {
    const { ask, units, go, state, books } = rig()
    state.away = true
    ask('a', 5)
    await go()
    expect([units(), state.errors.length, await books.figures('orders')]).toEqual([[], 1, null])
    state.away = false
    ask('a', 5)
    await go()
    expect(units()).toEqual([5])
  })

  it('follow what is published, also while they open, and never an older one', async () => {
    const { ask, go, slow, books, state, units } = rig()
    slow()
    ask('a', 500)
    await books.published('orders')
    state.inForce = { revision: 2, quotas: quotas(50) }
    await go()
    expect((await books.figures('orders'))?.quotas).toMatchObject([{ ...SLOTS, capacity: 50 }])
    state.inForce = { revision: 3, quotas: quotas(10) }
    await books.published('orders')
    state.inForce = { revision: 2, quotas: quotas(50) }
    await books.published('orders')
    await books.published('nobody asked')
    expect((await books.figures('orders'))?.quotas).toMatchObject([{ capacity: 10 }])
    ask('a', 500)
    expect(units().at(-1)).toBeLessThanOrEqual(50)
  })

  it('take back at once what an agent held that ends, and are closed when nobody holds anything', async () => {
    const { ask, go, books, state } = rig()
    ask('a', 90)
    await go()
    expect(await books.shares('orders', SLOTS, { after: null, limit: 9 })).toEqual([
      { agent: 'a', stage: 'leased', wanted: 90, used: 0, usable: 90, safe: 100 },
    ])
    books.beat()
    books.release(seat('a'))
    expect((await books.figures('orders'))?.quotas).toMatchObject([{ outstanding: 0, agents: 0 }])
    books.beat()
    expect(await books.figures('orders')).toBeNull()
    ask('a', 1)
    await go()
    expect(state.opened).toBe(2)
  })

  it('forgotten are learnt anew by whoever has them next', async () => {
    const { ask, go, books, state, answers } = rig()
    ask('a', 90)
    await go()
    books.close('orders')
    state.largest = quotas(100)
    ask('b', 90)
    await go()
    expect(answers.at(-1)?.[0]?.grant).toMatchObject({ epoch: 'book 2', units: 0 })
  })

  it('show what each quota comes to, by agent in pages', async () => {
    const { ask, go, books, state } = rig()
    ask('a', 30)
    await go()
    ask('b', 1)
    ask('c', 1)
    state.nowMs = 8_103
    expect((await books.figures('orders'))?.quotas).toMatchObject([
      { wanted: 32, granted: 0, agents: 3, endInMs: 0, stepInMs: 13_900, safe: 100 },
    ])
    const page = (after: string | null) => books.shares('orders', SLOTS, { after, limit: 2 })
    expect((await page(null))?.map(({ agent, stage }) => [agent, stage])).toEqual([
      ['a', 'waiting'],
      ['b', 'waiting'],
    ])
    expect((await page('b'))?.map(({ agent }) => agent)).toEqual(['c'])
    expect(await books.shares('orders', { ...SLOTS, tenant: 'none' }, { after: null, limit: 2 })).toBeNull()
  })
})
