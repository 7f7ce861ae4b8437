import { describe, expect, it } from 'vitest'
import cases from '../../../../spec/limits.json' with { type: 'json' }
import { aimdStep, gradient2Step, log10Root, longAverageStep, squareRoot, vegasStep } from './algorithms.ts'

type Triple = readonly [rttMs: number, inFlight: number, dropped: boolean]
const sample = ([rttMs, inFlight, dropped]: Triple) => ({ rttMs, inFlight, dropped })
const triples = (samples: readonly (readonly (number | boolean)[])[]) => samples as readonly Triple[]

describe('limit algorithms, from spec/limits.json', () => {
  it.each(cases.aimd)('T1 AIMD $name', ({ start, floor, ceiling, samples, limits }) => {
    let limit = start
    const seen = triples(samples).map((one) => {
      limit = Math.min(ceiling, Math.max(floor, aimdStep(limit, sample(one))))
      return limit
    })
    expect(seen).toEqual(limits)
  })

  it.each(cases.vegas)('T2 Vegas $name', (row) => {
    let limit = row.start
    const options = {
      ...(row.smoothing === undefined ? {} : { smoothing: row.smoothing }),
      ...(row.halve ? { decrease: (size: number) => size / 2 } : {}),
    }
    const seen = triples(row.samples).map((one) => {
      limit = vegasStep(limit, row.baseline, sample(one), options)
      return Math.floor(limit)
    })
    expect(seen).toEqual(row.limits)
  })

  it.each(cases.gradient2)('T3 Gradient2 $name', (row) => {
    let [limit, long] = [row.start, row.long]
    const seen = triples(row.samples).map((one) => {
      long = longAverageStep(long, one[0])
      limit = gradient2Step(limit, long, sample(one))
      return { limit, long }
    })
    const [expected, actual] = row.longs
      ? [row.longs, seen.map((step) => step.long)]
      : [row.limits ?? [], seen.map((step) => step.limit)]
    for (const [i, value] of expected.entries()) expect(actual[i]).toBeCloseTo(value, row.longs ? 2 : 1)
  })

  it('T3 takes 225 samples from 20 to 200 at the baseline', () => {
    let [limit, steps] = [20, 0]
    for (; limit < 200 - 1e-9; steps++) limit = gradient2Step(limit, 10, { rttMs: 10, inFlight: 500, dropped: false })
    expect(steps).toBe(225)
  })

  it('T3 has the fixed point queue / (1 - gradient), reached from above', () => {
    for (const [gradient, rest] of [
      [0.5, 8],
      [0.8, 20],
      [0.9, 40],
    ] as const) {
      let limit = 300
      for (let i = 0; i < 2_000; i++)
        limit = gradient2Step(limit, 10, { rttMs: (1.5 * 10) / gradient, inFlight: 500, dropped: false })
      expect(limit).toBeCloseTo(rest, 0)
    }
  })

  it('B-40 never rises while the gradient is under 1', () => {
    expect(gradient2Step(20, 10, { rttMs: 19, inFlight: 40, dropped: false })).toBeLessThanOrEqual(20)
    expect(gradient2Step(5, 10, { rttMs: 19, inFlight: 40, dropped: false })).toBe(5)
  })

  it('roots', () => {
    for (const [limit, root] of cases.roots.log10) expect(log10Root(limit as number)).toBe(root)
    for (const [limit, root] of cases.roots.square) expect(squareRoot(limit as number)).toBe(root)
  })
})
