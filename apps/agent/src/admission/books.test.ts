import type { Criticality } from '@weir/policy/model'
import { GATE_REASONS, METRICS } from '@weir/wire/model'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bench, gatePolicy, permitOf, settings } from './gate.testkit.ts'

describe('the books', () => {
  it('carry the attributes of the metrics table, no more and no fewer', () => {
    const { gate, runtime, figures } = bench(settings(gatePolicy({ limit: 1, mode: 'observe', maxHoldMs: 50 })))
    gate.tryAcquire({})
    gate.tryAcquire({ signal: AbortSignal.abort() })
    permitOf(gate.tryAcquire({ deadlineMs: 1 })).failure()
    const permit = permitOf(gate.tryAcquire({}))
    permit.cancel()
    permit.success()
    permitOf(gate.tryAcquire({})).ignored()
    gate.apply(settings(gatePolicy({ limit: 1, maxHoldMs: 50 })))
    gate.tryAcquire({})
    gate.tryAcquire({ deadlineMs: 0 })
    runtime.time.advance(50)
    const { rows } = figures()
    expect(new Set(rows.map(({ name }) => name)).size).toBeGreaterThanOrEqual(10)
    for (const { name, attributes } of rows) expect(Object.keys(attributes)).toEqual(METRICS[name].attributes)
  })

  it('book each reason as shed or expired, as the table of reasons says', () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1 })))
    gate.tryAcquire({})
    gate.tryAcquire({ deadlineMs: 0 })
    gate.tryAcquire({})
    const refused = figures().rows.filter(({ attributes }) => attributes.reason !== undefined)
    expect(refused.map(({ name, attributes }) => [name, attributes.reason]).sort()).toEqual([
      ['weir.gate.expired', 'expired-on-arrival'],
      ['weir.gate.shed', 'limit-reached'],
    ])
    for (const { name, attributes } of refused) {
      const { expired } = GATE_REASONS[attributes.reason as keyof typeof GATE_REASONS]
      expect(name).toBe(expired ? 'weir.gate.expired' : 'weir.gate.shed')
    }
  })

  it('count work of one tenant whose class changes, each in its own, also over a collection', () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 10 })))
    const counts = (criticality: Criticality) =>
      ['offered', 'accepted', 'completed'].map((figure) => window.sum(figure, { class: criticality }))
    const end = (criticality: Criticality) => permitOf(gate.tryAcquire({ tenant: 'a', criticality })).success()
    for (const criticality of ['critical', 'sheddable', 'sheddable', 'critical', 'sheddable'] as const) end(criticality)
    const running = permitOf(gate.tryAcquire({ tenant: 'a', criticality: 'critical' }))
    let window = figures()
    expect([counts('critical'), counts('sheddable')]).toEqual([
      [3, 3, 2],
      [3, 3, 3],
    ])
    end('sheddable')
    running.success()
    window = figures()
    expect([counts('critical'), counts('sheddable')]).toEqual([
      [3, 3, 3],
      [4, 4, 4],
    ])
  })

  it('give the largest tenants their own figures and fold the rest into other, exactly', () => {
    const counts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(counts, fc.integer({ min: 0, max: 6 }), (asks, tenantLabels) => {
        const { gate, figures } = bench(settings(gatePolicy({ limit: 1_000 })), { tenantLabels })
        asks.forEach((count, i) => {
          for (let n = 0; n < count; n++) gate.tryAcquire({ tenant: `t${i}` })
        })
        const seen = figures()
        const own = asks.map((_, i) => seen.sum('offered', { tenant: `t${i}` }))
        const shown = own.filter((count) => count > 0)
        expect(shown).toHaveLength(Math.min(tenantLabels, asks.length))
        expect(shown.sort((a, b) => b - a)).toEqual(asks.toSorted((a, b) => b - a).slice(0, tenantLabels))
        const all = asks.reduce((a, b) => a + b)
        expect(seen.sum('offered', { tenant: 'other' })).toBe(all - shown.reduce((a, b) => a + b, 0))
        expect(seen.sum('accepted')).toBe(all)
      }),
    )
  })

  it('hand over differences: nothing is told twice, nothing is told of a quiet window', () => {
    const { gate, figures } = bench(settings(gatePolicy()))
    permitOf(gate.tryAcquire({ tenant: 'a' })).success()
    const told = figures().rows.length
    expect(figures().rows).toHaveLength(told)
    permitOf(gate.tryAcquire({ tenant: 'a' })).success()
    expect(figures().sum('completed', { tenant: 'a' })).toBe(2)
  })

  it('keep refusals apart by revision over several edits between two collections, and lose none over many', () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1 })))
    gate.tryAcquire({})
    for (let revision = 1; revision <= 30; revision++) {
      gate.apply(settings(gatePolicy({ limit: 1 }), { revision }))
      gate.tryAcquire({})
    }
    const seen = figures()
    expect([1, 2, 7].map((revision) => seen.sum('shed', { revision }))).toEqual([1, 1, 1])
    expect(seen.sum('shed')).toBe(30)
    gate.tryAcquire({})
    expect(figures().sum('shed', { revision: 30 })).toBeGreaterThanOrEqual(1)
    expect(figures().sum('shed')).toBe(31)
  })

  it('measure the wait from arrival to start and the duration from arrival to end', async () => {
    const { gate, runtime, figures } = bench(settings(gatePolicy({ limit: 1 })))
    const holder = permitOf(gate.tryAcquire({}))
    const waiting = gate.acquire({})
    runtime.time.advance(100)
    holder.success()
    const second = permitOf(await waiting)
    runtime.time.advance(30)
    second.failure()
    const of = (name: string) => figures().histograms.find((histogram) => histogram.name === name)
    expect(of('weir.gate.queue.wait')).toMatchObject({ count: 2, sum: 0.1 })
    expect(of('weir.gate.duration')).toMatchObject({ count: 2, sum: 0.23 })
  })

  it('read the gauges at the end of the window', () => {
    const { gate, runtime, figures } = bench(settings(gatePolicy({ limit: 2 })))
    permitOf(gate.tryAcquire({})).cancel()
    gate.tryAcquire({})
    void gate.acquire({})
    runtime.time.advance(200)
    const seen = figures()
    const names = ['limit', 'active', 'zombies', 'waiting', 'queue.oldest_age', 'level']
    expect(names.map((name) => seen.gauge(name))).toEqual([2, 1, 1, 1, 0.2, 0])
  })
})
