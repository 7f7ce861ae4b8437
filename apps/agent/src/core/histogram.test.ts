import { DURATION_BOUNDS_S } from '@weir/wire/model'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DurationHistogram } from './histogram.ts'

const collected = (histogram: DurationHistogram): { counts: readonly number[]; sum: number }[] => {
  const windows: { counts: readonly number[]; sum: number }[] = []
  histogram.collect(
    { counter: () => {}, gauge: () => {}, histogram: (_name, counts, sum) => windows.push({ counts, sum }) },
    'weir.gate.duration',
    {},
  )
  return windows
}

describe('duration histogram', () => {
  it('bounds are inclusive above, the last cell is open', () => {
    const histogram = new DurationHistogram()
    for (const ms of [0, 1, 1.0001, 2, 30_000, 30_000.1, 1e9]) histogram.record(ms)
    const [window] = collected(histogram)
    expect(window?.counts.length).toBe(DURATION_BOUNDS_S.length + 1)
    expect([window?.counts[0], window?.counts[1], window?.counts.at(-2), window?.counts.at(-1)]).toEqual([2, 2, 1, 2])
  })

  it('every duration is in exactly the first cell whose bound holds it', () => {
    fc.assert(
      fc.property(fc.double({ min: -10, max: 60_000, noNaN: true }), (ms) => {
        const histogram = new DurationHistogram()
        histogram.record(ms)
        const expected = DURATION_BOUNDS_S.findIndex((bound) => ms <= bound * 1_000)
        const [window] = collected(histogram)
        expect(window?.counts.indexOf(1)).toBe(expected === -1 ? DURATION_BOUNDS_S.length : expected)
      }),
    )
  })

  it('starts anew after a collection, and hands over nothing when nothing was recorded', () => {
    const histogram = new DurationHistogram()
    histogram.record(Number.NaN)
    histogram.record(Number.POSITIVE_INFINITY)
    expect(collected(histogram)).toEqual([])
    histogram.record(500)
    expect(collected(histogram)).toMatchObject([{ sum: 0.5 }])
    expect(collected(histogram)).toEqual([])
  })
})
