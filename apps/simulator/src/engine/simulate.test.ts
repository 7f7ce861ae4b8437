import { type TrafficInput, trafficSchema } from '@weir/api'
import { readPolicy } from '@weir/policy'
import type { EffectivePolicy, Quotas } from '@weir/policy/model'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulate } from './simulate.ts'

export const policy = (document: string, quotas: Quotas = {}): EffectivePolicy => {
  const read = readPolicy(document)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return { policy: read.policy, quotas }
}

type Gate = TrafficInput['gates'][string]
const traffic = (gate: Gate, instances = 1) => trafficSchema.parse({ version: 1, instances, gates: { checkout: gate } })
const constant = { time: { kind: 'constant', ms: 100 } } as const
const exponential = { time: { kind: 'exponential', meanMs: 100 } } as const
const minute = (perSecond: number) => ({ stretches: [{ ms: 60_000, perSecond }] })

describe('a simulation', () => {
  it('sheds what Erlang says of a gate without a queue', async () => {
    // Offered load 10 erlangs on 10 slots: the Erlang B formula gives 0.2146.
    const { gates } = await simulate({
      traffic: traffic({ service: exponential, load: { stretches: [{ ms: 600_000, perSecond: 100 }] } }),
      effective: policy('gates: { checkout: { concurrency: 10, queue: { maxWaitMs: 0 } } }'),
    })
    expect((gates.checkout?.shed ?? 0) / (gates.checkout?.offered ?? 1)).toBeCloseTo(0.2146, 2)
  })

  it('waits as Erlang says before a gate with a queue', async () => {
    // 8 erlangs on 10 slots: by Erlang C 40.9 % wait, exponentially with a mean of 100 / (10 - 8) = 50 ms.
    const { gates } = await simulate({
      traffic: traffic({ service: exponential, load: { stretches: [{ ms: 1_200_000, perSecond: 80 }] } }),
      effective: policy('gates: { checkout: { concurrency: 10, queue: { maxWaitMs: 60000, maxItems: 100000 } } }'),
    })
    expect(gates.checkout?.shed).toBe(0)
    const p90 = 50 * Math.log(0.409 / 0.1)
    expect((gates.checkout?.waitMs?.p90 ?? 0) / p90).toBeGreaterThan(0.85)
    expect((gates.checkout?.waitMs?.p90 ?? 0) / p90).toBeLessThan(1.15)
  })

  it('keeps the books: offered is accepted, shed and expired, and what was accepted has ended', async () => {
    const gate = fc.record({
      perSecond: fc.integer({ min: 1, max: 300 }),
      limit: fc.integer({ min: 1, max: 30 }),
      maxWaitMs: fc.constantFrom(0, 50, 500),
      concurrency: fc.constantFrom(null, 5, 20),
      deadlineMs: fc.constantFrom(undefined, -1, 120, 1_000),
      instances: fc.integer({ min: 1, max: 3 }),
      seed: fc.nat(1_000),
    })
    await fc.assert(
      fc.asyncProperty(gate, async ({ perSecond, limit, maxWaitMs, concurrency, deadlineMs, instances, seed }) => {
        const load = {
          stretches: [{ ms: 3_000, perSecond, to: 0 }],
          classes: { critical: 1, sheddable: 2 },
          tenants: { a: 5, b: 1 },
        }
        const service = { ...exponential, concurrency, failed: 0.1 }
        const given = { service, load, ...(deadlineMs === undefined ? {} : { deadlineMs }) }
        const effective = policy(`gates: { checkout: { concurrency: ${limit}, queue: { maxWaitMs: ${maxWaitMs} } } }`)
        const { gates, arrivals } = await simulate({ traffic: traffic(given, instances), effective, seed })
        const all = gates.checkout!
        expect(all.offered).toBe(arrivals)
        expect(all.accepted + all.shed + all.expired).toBe(all.offered)
        expect(all.completed + all.late + all.failed).toBe(all.accepted)
        for (const part of [all.classes, all.tenants])
          expect(Object.values(part).reduce((sum, fate) => sum + fate.offered, 0)).toBe(all.offered)
        expect(Object.values(all.reasons).reduce((sum, n) => sum + n, 0)).toBe(all.shed + all.expired)
      }),
      { numRuns: 40 },
    )
  })

  it('plays counts per bin exactly, by class and by tenant', async () => {
    const bins = {
      stepMs: 1_000,
      offered: [10.25, 0, 39.75],
      classes: { critical: [10.25, 0, 0], sheddable: [0, 0, 39.75] },
      tenants: { acme: [10.25, 0, 39.75] },
    }
    const { gates, seconds } = await simulate({
      traffic: traffic({ service: constant, bins }),
      effective: policy('gates: { checkout: {} }'),
    })
    expect(seconds).toBe(3)
    expect(gates.checkout).toMatchObject({
      offered: 50,
      classes: { critical: { offered: 10 }, sheddable: { offered: 40 } },
    })
    expect(gates.checkout?.tenants).toEqual({ acme: expect.objectContaining({ offered: 50 }) })
  })

  it('replays recorded arrivals at their moments, with their own deadlines', async () => {
    const arrivals = [{ atMs: 0 }, { atMs: 50 }, { atMs: 60, deadlineMs: 0 }, { atMs: 100.5 }]
    const { gates } = await simulate({
      traffic: traffic({ service: constant, arrivals }),
      effective: policy('gates: { checkout: { concurrency: 1, queue: { maxWaitMs: 0 } } }'),
    })
    expect(gates.checkout).toMatchObject({
      offered: 4,
      accepted: 2,
      reasons: { 'limit-reached': 1, 'expired-on-arrival': 1 },
    })
  })

  it('gives every process its even share of a quota', async () => {
    const run = (instances: number) =>
      simulate({
        traffic: traffic({ service: constant, load: { ...minute(100), tenants: { acme: 1 } } }, instances),
        effective: policy('gates: { checkout: {} }', {
          checkout: { acme: { rate: 40, burst: 40, concurrency: null, weight: 1 } },
        }),
      })
    for (const instances of [1, 4]) {
      const { gates } = await run(instances)
      expect((gates.checkout?.accepted ?? 0) / (40 * 60)).toBeGreaterThan(0.93)
      expect((gates.checkout?.accepted ?? 0) / (40 * 60)).toBeLessThan(1.03)
    }
  })

  it('of a part of the processes has the shares of all', async () => {
    const given = traffic({ service: constant, load: minute(600) }, 10)
    const effective = policy('gates: { checkout: { concurrency: 4, queue: { maxWaitMs: 20 } } }')
    const shed = async (instances: number) => {
      const { gates } = await simulate({ traffic: given, effective, instances })
      return (gates.checkout?.shed ?? 0) / (gates.checkout?.offered ?? 1)
    }
    expect(Math.abs((await shed(3)) - (await shed(10)))).toBeLessThan(0.02)
  })

  it('repeats for a seed', async () => {
    const given = {
      traffic: traffic({ service: exponential, load: minute(120) }),
      effective: policy('gates: { checkout: { concurrency: 9 } }'),
    }
    const [one, again, other] = [await simulate(given), await simulate(given), await simulate({ ...given, seed: 2 })]
    expect(again).toEqual(one)
    expect(other).not.toEqual(one)
  })
})
