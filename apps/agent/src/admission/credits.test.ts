import { AsyncLocalStorage } from 'node:async_hooks'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Demand } from './credits.ts'
import { asking, bench, gatePolicy, permitOf, quota, settings } from './gate.testkit.ts'
import type { Permit } from './gate.ts'

describe('demand', () => {
  it('B-83 sums saturate; 0, negatives, fractions and NaN are refused and change nothing', () => {
    const demand = new Demand()
    for (const bad of [0, -1, -0, 0.5, Number.NaN, Number.NEGATIVE_INFINITY]) expect(demand.add(bad)).toBe(false)
    expect(demand.wanted).toBe(0)
    expect([demand.add(Number.MAX_SAFE_INTEGER), demand.add(Number.MAX_SAFE_INTEGER)]).toEqual([true, true])
    demand.take()
    expect(demand.wanted).toBe(Number.MAX_SAFE_INTEGER)
    const other = new Demand()
    expect([other.add(Number.MAX_VALUE), other.add(Number.POSITIVE_INFINITY)]).toEqual([true, true])
    expect(other.wanted).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('is the sum of what was asked less what was given, or unbounded', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3, max: 2 ** 52 })), (asked) => {
        const demand = new Demand()
        let sum = 0
        for (const n of asked) {
          expect(demand.add(n)).toBe(n > 0)
          if (n > 0) sum += n
        }
        expect(demand.wanted).toBe(Math.min(sum, Number.MAX_SAFE_INTEGER))
      }),
    )
  })
})

describe('credits', () => {
  const consuming = (parts: Parameters<typeof gatePolicy>[0] = {}, rest = {}) => {
    const made = bench(settings(gatePolicy({ limit: 2, ...parts }), rest))
    const taken: Permit[] = []
    const credits = made.gate.credits({ tenant: 'topic' }, (permit) => taken.push(permit))
    return { ...made, taken, credits }
  }

  it('work that cannot be read wants nothing more, and neither its host nor others hear of it', () => {
    const { gate, taken, credits } = consuming()
    const unreadable = {
      get tenant(): string {
        throw new Error('host bug')
      },
    }
    const broken = gate.credits(unreadable, () => undefined)
    expect([broken.request(2), broken.wanted]).toEqual([true, 0])
    credits.request(2)
    expect([taken.length, gate.mishaps.faults]).toEqual([2, 1])
  })

  it('M1 hands over as many permits as were requested and the gate has slots for, the next as one ends', () => {
    const { gate, taken, credits, figures } = consuming()
    expect(credits.request(3)).toBe(true)
    expect([taken.length, credits.wanted]).toEqual([2, 1])
    taken[0]?.success()
    expect([taken.length, credits.wanted]).toEqual([3, 0])
    taken[1]?.success()
    expect([taken.length, gate.report().active]).toEqual([3, 1])
    expect([figures().sum('offered'), figures().sum('accepted'), figures().sum('shed')]).toEqual([3, 3, 0])
  })

  it('B-84a holds nothing between gate and consumer that would have to pause: what is handed over is what runs', () => {
    const { gate } = bench(settings(gatePolicy({ limit: 10 })))
    const running: Permit[] = []
    let most = 0
    const credits = gate.credits({}, (permit) => {
      running.push(permit)
      most = Math.max(most, running.length)
      expect(gate.report().active).toBe(running.length)
    })
    credits.request(1_000)
    for (let i = 0; i < 990; i++) running.shift()?.success()
    expect([most, running.length, gate.report().active]).toEqual([10, 10, 10])
  })

  it('B-83 an unbounded request keeps to the limit, whatever the mode', () => {
    for (const mode of ['enforce', 'observe', 'off'] as const) {
      const { taken, credits } = consuming({ mode })
      credits.request(Number.POSITIVE_INFINITY)
      credits.request(Number.MAX_SAFE_INTEGER)
      expect(taken).toHaveLength(2)
      taken[0]?.success()
      expect(taken).toHaveLength(3)
    }
  })

  it('work that waits already comes first, consumers take turns, and what ends at once does not recurse', async () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1 })))
    const holder = permitOf(gate.tryAcquire({}))
    const order: string[] = []
    const consume = (name: string) =>
      gate.credits({}, (permit) => {
        order.push(name)
        permit.success()
      })
    consume('a').request(3)
    consume('b').request(2)
    const { ask, words } = asking(gate)
    ask('waits')
    holder.success()
    expect([order, await words()]).toEqual([[], { waits: 'accepted' }])
    const third = consume('c')
    gate.apply(settings(gatePolicy({ limit: 2 })))
    expect(order).toEqual(['a', 'b', 'a', 'b', 'a'])
    third.request(50_000)
    expect(third.wanted).toBeLessThan(50_000)
  })

  it('looks again where a tenant’s rate held it up, and stops at close', async () => {
    const { taken, credits, runtime, gate } = consuming(
      { limit: 100 },
      { quotas: { topic: quota({ rate: 10, burst: 1 }) } },
    )
    credits.request(5)
    expect(taken).toHaveLength(0)
    await runtime.time.run(350)
    expect(taken.length).toBeGreaterThanOrEqual(2)
    credits.close()
    expect(credits.wanted).toBe(0)
    const seen = taken.length
    await runtime.time.run(1_000)
    expect(taken).toHaveLength(seen)
    credits.request(5)
    gate.close()
    expect(credits.wanted).toBe(0)
    for (const permit of taken) permit.ignored()
    expect(runtime.time.pending).toBe(0)
  })

  it('B-52 a permit is taken in the consumer’s async context, and a fault of its own ends it badly', () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1 })))
    const store = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    const credits = store.run('consumer', () =>
      gate.credits({}, () => {
        seen.push(store.getStore())
        throw new Error('handler')
      }),
    )
    const holder = store.run('holder', () => permitOf(gate.tryAcquire({})))
    credits.request(1)
    store.run('finisher', () => holder.success())
    expect(seen).toEqual(['consumer'])
    expect([gate.report().active, figures().sum('failed'), gate.mishaps.faults]).toEqual([0, 1, 1])
  })
})
