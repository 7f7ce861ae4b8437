import { AsyncLocalStorage } from 'node:async_hooks'
import { settled } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { gatePolicy, permitOf, settings } from '../admission/gate.testkit.ts'
import { consuming } from './consumer.testkit.ts'

const MINUTE = 60_000

describe('a consumer', () => {
  it('M1 begins messages in their order, as many as the gate has slots for', async () => {
    const { deliver, began, end, words, consumer, figures } = consuming({ limit: 2 })
    for (const name of ['a', 'b', 'c', 'd']) deliver(name)
    expect(began).toEqual(['a', 'b'])
    expect(consumer.report()).toMatchObject({ gate: 'gate', topic: 'mails', inHand: 2, running: 2 })
    await end('b')
    expect(began).toEqual(['a', 'b', 'c'])
    await end('a', 'c')
    await end('d')
    expect(words()).toEqual({ a: 'done', b: 'done', c: 'done', d: 'done' })
    const sums = figures()
    expect(['offered', 'accepted', 'completed'].map((name) => sums.sum(name))).toEqual([4, 4, 4])
  })

  it('M1 waits behind other work of the gate and holds no slot while it has nothing to do', async () => {
    const { deliver, began, gate, end } = consuming({ limit: 1 })
    const holder = permitOf(gate.tryAcquire({}))
    deliver('a')
    expect([began, gate.report().active]).toEqual([[], 1])
    holder.success()
    expect(began).toEqual(['a'])
    await end('a')
    expect(gate.report().active).toBe(0)
  })

  it('tells a handler that threw, at once or later, and books it failed', async () => {
    const { deliver, fail, fates, consumer, figures } = consuming()
    deliver('a')
    await fail('a')
    expect(fates.a).toMatchObject({ fate: 'failed', error: expect.objectContaining({ message: 'a' }) })
    const thrown = await consumer.take({}, () => {
      throw new Error('at once')
    })
    expect(thrown).toMatchObject({ fate: 'failed' })
    expect(figures().sum('failed')).toBe(2)
  })

  it('M2 B-84c messages that are too old are not worked on, counted as expired, and told', async () => {
    const { deliver, began, words, fates, figures } = consuming({ limit: 1, consumer: { maxAgeMs: 2 * MINUTE } })
    deliver('behind', 10 * MINUTE)
    deliver('fresh', MINUTE)
    await settled()
    expect([began, words()]).toEqual([['fresh'], { behind: 'expired' }])
    expect(fates.behind).toEqual({ fate: 'expired', ageMs: 10 * MINUTE })
    const sums = figures()
    expect([sums.sum('offered'), sums.sum('expired'), sums.sum('accepted')]).toEqual([2, 1, 1])
  })

  it('M2 B-84c a message of a fetched batch grows too old while it waits for its turn', async () => {
    const { deliver, began, words, runtime, end } = consuming({ limit: 1, consumer: { maxAgeMs: MINUTE } })
    // Not at a whole second, when all consumers look anyway.
    for (const name of ['a', 'b', 'c']) deliver(name, 30_250)
    deliver('d', 0)
    await runtime.time.run(29_749)
    expect(words()).toEqual({})
    await runtime.time.run(1)
    expect(words()).toEqual({ b: 'expired', c: 'expired' })
    await end('a')
    expect(began).toEqual(['a', 'd'])
    await end('d')
    expect(words()).toEqual({ a: 'done', b: 'expired', c: 'expired', d: 'done' })
  })

  it('M2 a slot that frees at the very moment at which the head expires goes to the next', async () => {
    const { deliver, began, words, runtime, gate, figures } = consuming({ limit: 1, consumer: { maxAgeMs: MINUTE } })
    const holder = permitOf(gate.tryAcquire({}))
    runtime.timers.set(() => holder.success(), MINUTE)
    deliver('old')
    await runtime.time.run(10)
    deliver('young')
    await runtime.time.run(MINUTE - 10)
    expect([began, words()]).toEqual([['young'], { old: 'expired' }])
    expect(figures().sum('expired')).toBe(1)
  })

  it('B-84c a message whose lease at the broker ended is left: another has it by then', async () => {
    const { deliver, began, words, runtime, end, figures } = consuming({ limit: 1 })
    deliver('a')
    deliver('locked for 30 s', 0, { leaseMs: 30_000 })
    deliver('b')
    await runtime.time.run(40_000)
    await end('a')
    expect([began, words()]).toEqual([['a', 'b'], { a: 'done', 'locked for 30 s': 'left' }])
    expect(figures().sum('expired')).toBe(0)
  })

  it('observing it works on everything, and counts what it would have left', async () => {
    const { deliver, began, end, figures, consumer } = consuming({ mode: 'observe', consumer: { maxAgeMs: MINUTE } })
    deliver('old', 2 * MINUTE)
    deliver('new')
    await end('old', 'new')
    expect(began).toEqual(['old', 'new'])
    expect(figures().sum('expired')).toBe(0)
    const told: unknown[] = []
    consumer.collect({ counter: (...row) => told.push(row), gauge: () => undefined, histogram: () => undefined })
    expect(told).toEqual([['weir.consumer.would_expire', 1, { gate: 'gate', topic: 'mails' }]])
  })

  it('obeys a new oldest age at once, also for what it has in hand', async () => {
    const { deliver, words, oldest, consumers } = consuming({ limit: 1 })
    deliver('a')
    deliver('b', MINUTE)
    oldest(1_000)
    consumers.look()
    await settled()
    expect(words()).toEqual({ b: 'expired' })
  })

  it('takes what makes no sense as left out', async () => {
    const { deliver, began, ages, consumer } = consuming({ limit: 4, consumer: { maxAgeMs: MINUTE } })
    deliver('no time', 0, { madeAtMs: undefined })
    deliver('NaN', 0, { madeAtMs: Number.NaN, leaseMs: Number.NaN })
    deliver('of tomorrow', -86_400_000)
    const odd = { madeAtMs: '2026', tenant: {}, criticality: 7, cost: 'x', leaseMs: -1 }
    void consumer.take(odd as never, () => began.push('odd'))
    expect([began, ages]).toEqual([
      ['no time', 'NaN', 'of tomorrow', 'odd'],
      { 'no time': 0, NaN: 0, 'of tomorrow': 0 },
    ])
  })

  it('draws on the quota of the tenant of the message whose turn it is', async () => {
    const { gate, deliver, began, runtime, end } = consuming({ limit: 2 })
    const quota = { rate: null, burst: null, concurrency: 0, weight: 1 }
    gate.apply(settings(gatePolicy({ limit: 2 }), { quotas: { acme: quota } }))
    deliver('of acme', 0, { tenant: 'acme' })
    await runtime.time.run(500)
    expect(began).toEqual([])
    gate.apply(settings(gatePolicy({ limit: 2 }), { quotas: { acme: { ...quota, concurrency: 1 } } }))
    expect(began).toEqual(['of acme'])
    await end('of acme')
  })

  it('B-52 runs a handler in the context of its delivery', async () => {
    const { gate, consumer } = consuming({ limit: 1 })
    const store = new AsyncLocalStorage<string>()
    const holder = store.run('holder', () => permitOf(gate.tryAcquire({})))
    const fate = store.run('delivery', () => consumer.take({}, () => store.getStore()))
    store.run('finisher', () => holder.success())
    expect(await fate).toEqual({ fate: 'done', value: 'delivery' })
  })

  it('leaves what is in hand when the broker has taken it back, and takes what comes after', async () => {
    const { deliver, words, consumer, end, said } = consuming({ limit: 2, consumer: { maxAgeMs: MINUTE } })
    for (const name of ['a', 'b', 'c', 'd']) deliver(name)
    expect(said).toEqual(['pause'])
    consumer.leave()
    await end('a')
    deliver('e')
    await end('b', 'e')
    expect(words()).toEqual({ a: 'done', b: 'done', c: 'left', d: 'left', e: 'done' })
    expect(said).toEqual(['pause', 'resume'])
  })

  it('stops: what has not begun is left, what runs ends, and no timer stays', async () => {
    const { deliver, words, consumer, end, runtime, said } = consuming({ limit: 1, consumer: { maxAgeMs: MINUTE } })
    deliver('a')
    deliver('b')
    let closed = false
    void consumer.close().then(() => {
      closed = true
    })
    await settled()
    expect([words(), closed, said.at(-1)]).toEqual([{ b: 'left' }, false, 'pause'])
    deliver('c')
    await end('a')
    expect([words(), closed]).toEqual([{ a: 'done', b: 'left', c: 'left' }, true])
    await runtime.time.run(600_000)
    expect(runtime.time.pending).toBe(0)
  })
})
