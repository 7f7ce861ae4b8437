import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Heap } from './heap.ts'
import { DrainRates, TypicalTime } from './throughput.ts'

describe('the heap', () => {
  it('gives in order what is left of many, whoever is taken out of the middle or falls behind', () => {
    const ranks = fc.array(fc.nat({ max: 1_000 }), { minLength: 8, maxLength: 40 })
    fc.assert(
      fc.property(ranks, fc.array(fc.nat(), { maxLength: 12 }), fc.nat(), (given, removed, sunk) => {
        const heap = new Heap<{ rank: number; place: number }>((a, b) => a.rank < b.rank)
        const left = given.map((rank) => ({ rank, place: -1 }))
        for (const item of left) heap.push(item)
        for (const pick of removed) {
          const [item] = left.splice(pick % Math.max(1, left.length), 1)
          if (item) heap.remove(item)
        }
        const falling = left[sunk % Math.max(1, left.length)]
        if (falling) {
          falling.rank += 500
          heap.sink(falling)
        }
        const drained: number[] = []
        for (let top = heap.top; top; top = heap.top) {
          drained.push(top.rank)
          heap.remove(top)
        }
        expect(drained).toEqual(left.map(({ rank }) => rank).sort((a, b) => a - b))
      }),
      { numRuns: 500 },
    )
  })

  it('has the earliest on top, whatever is put in, taken out, or put in order again', () => {
    const step = fc.oneof(
      fc.record({ push: fc.integer({ min: 0, max: 50 }) }),
      fc.record({ remove: fc.nat() }),
      fc.record({ turn: fc.constant(true) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = new Heap<{ expiresMs: number; place: number }>((a, b) => a.expiresMs < b.expiresMs)
        const items: { expiresMs: number; place: number }[] = []
        for (const step of steps) {
          if ('push' in step) {
            const item = { expiresMs: step.push, place: -1 }
            items.push(item)
            heap.push(item)
          } else if ('turn' in step) {
            for (const item of items) item.expiresMs = 50 - item.expiresMs
            heap.rebuild()
          } else {
            const [item] = items.splice(step.remove % Math.max(1, items.length), 1)
            if (item) heap.remove(item)
          }
          const least = items.length === 0 ? undefined : Math.min(...items.map(({ expiresMs }) => expiresMs))
          expect(heap.top?.expiresMs).toBe(least)
          expect(new Set(items.map(({ place }) => place)).size).toBe(items.length)
        }
      }),
    )
  })
})

describe('the drain rate', () => {
  const drained = (departures: number, everyMs: number): DrainRates => {
    const rates = new DrainRates()
    rates.busy(1, 0)
    for (let i = 1; i <= departures; i++) rates.departed(1, i * everyMs)
    return rates
  }

  it('is believed from the twentieth departure on, per class', () => {
    expect(drained(19, 10).perMs(1, 190)).toBeNaN()
    expect(drained(20, 10).perMs(1, 200)).toBeCloseTo(0.1)
    expect(drained(20, 10).perMs(0, 200)).toBeNaN()
  })

  it('leaves out the time in which nobody waited', () => {
    const rates = drained(20, 10)
    rates.idle(1, 200)
    rates.busy(1, 3_000)
    expect(rates.perMs(1, 3_000)).toBeCloseTo(0.1)
    rates.departed(1, 3_010)
    expect(rates.perMs(1, 3_010)).toBeCloseTo(0.1)
  })

  it('falls while a full queue stands still, and follows a change within seconds', () => {
    const rates = drained(200, 10)
    expect(rates.perMs(1, 4_000)).toBeLessThan(0.06)
    for (let i = 1; i <= 200; i++) rates.departed(1, 2_000 + i * 40)
    expect(rates.perMs(1, 10_000)).toBeCloseTo(0.025, 3)
  })

  it('is forgotten when it was measured long ago', () => {
    const rates = drained(20, 10)
    rates.idle(1, 200)
    expect(rates.perMs(1, 5_300)).toBeNaN()
    rates.busy(1, 6_000)
    rates.departed(1, 6_001)
    expect(rates.perMs(1, 6_001)).toBeNaN()
  })
})

describe('the typical processing time', () => {
  it('B-78c is unknown before any sample, then the median of the last 64', () => {
    const typical = new TypicalTime()
    expect(typical.medianMs()).toBeNaN()
    typical.record(7)
    expect(typical.medianMs()).toBe(7)
    for (let i = 0; i < 64; i++) typical.record(i % 8 === 0 ? 5_000 : 20)
    expect(typical.medianMs()).toBe(20)
    for (let i = 0; i < 64; i++) typical.record(100)
    expect(typical.medianMs()).toBe(100)
  })
})
