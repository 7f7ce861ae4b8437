import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arrivals, even, poisson } from './arrivals.ts'
import { mixed } from './mix.ts'
import { seededRandom } from './random.ts'
import { hold, lengthMs, offered, ramp, type Shape } from './shapes.ts'

const anyShape = fc.array(
  fc.record({ ms: fc.integer({ min: 1, max: 5_000 }), from: fc.integer({ max: 400, min: 0 }), to: fc.nat(400) }),
  { maxLength: 5 },
)

describe('arrivals', () => {
  it('are evenly spread where the rate holds', () => {
    expect([...arrivals([hold(4, 1_000)], even)]).toEqual([250, 500, 750])
    expect([...arrivals([hold(4, 1_001)], even, 10)]).toEqual([260, 510, 760, 1_010])
  })

  it('come sooner and sooner on a ramp, and as many as it offers', () => {
    const times = [...arrivals([ramp(0, 200, 10_000)], even)]
    expect(times.length).toBe(999)
    expect(times[0]).toBeCloseTo(316.23, 1)
    const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0))
    for (const [i, gap] of gaps.slice(1).entries()) expect(gap).toBeLessThan(gaps[i] ?? 0)
  })

  it('of any shape ascend, stay inside it, and are as many as it offers', () => {
    fc.assert(
      fc.property(anyShape, (shape: Shape) => {
        const times = [...arrivals(shape, even)]
        expect(Math.abs(times.length - offered(shape))).toBeLessThanOrEqual(1.001)
        expect(times.every((at, i) => at >= (times[i - 1] ?? 0) && at <= lengthMs(shape))).toBe(true)
      }),
    )
  })

  it('of independent callers repeat for a seed, and scatter as they should', () => {
    const shape = [hold(100, 60_000), hold(0, 10_000), hold(300, 60_000)]
    const times = [...arrivals(shape, poisson(seededRandom(7)))]
    expect(times).toEqual([...arrivals(shape, poisson(seededRandom(7)))])
    const within = (from: number, to: number) => times.filter((at) => at >= from && at < to).length
    expect(within(0, 60_000) / 6_000).toBeCloseTo(1, 1)
    expect(within(60_000, 70_000)).toBe(0)
    expect(within(70_000, 130_000) / 18_000).toBeCloseTo(1, 1)
    const perSecond = Array.from({ length: 60 }, (_, s) => within(70_000 + s * 1_000, 71_000 + s * 1_000))
    const variance = perSecond.reduce((sum, n) => sum + (n - 300) ** 2, 0) / perSecond.length
    // Of a Poisson count the variance is the mean; evenly spread it would be next to nothing.
    expect(variance).toBeGreaterThan(150)
    expect(variance).toBeLessThan(600)
  })

  it('are made one at a time', () => {
    const endless = arrivals([hold(1_000, Number.POSITIVE_INFINITY)], even)
    expect([endless.next().value, endless.next().value]).toEqual([1, 2])
  })
})

describe('a mix', () => {
  it('draws by weight', () => {
    const weighted = [
      ['a', 3],
      ['never', 0],
      ['b', 1],
      ['no number', Number.NaN],
    ] as const
    const draw = mixed(weighted, seededRandom(3))
    const drawn = Array.from({ length: 10_000 }, draw)
    expect(new Set(drawn)).toEqual(new Set(['a', 'b']))
    expect(drawn.filter((value) => value === 'a').length / drawn.length).toBeCloseTo(0.75, 1)
  })

  it('of nothing is an error, not an endless search', () => {
    expect(() => mixed([['a', 0]], seededRandom(1))).toThrow(RangeError)
  })
})
