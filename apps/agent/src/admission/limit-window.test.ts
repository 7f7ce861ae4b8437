import { describe, expect, it } from 'vitest'
import cases from '../../../../spec/windows.json' with { type: 'json' }
import { jitteredMs, medianOf, SampleWindow } from './limit-window.ts'

const half = () => 0.5

describe('sample windows, from spec/windows.json', () => {
  it.each(cases.medians)('the median of $ms is $median', ({ ms, median }) => {
    const values = new Float64Array(128)
    values.set(ms)
    expect(medianOf(values, ms.length)).toBe(median)
  })

  it.each(cases.jitter)('C4 $ms ms with a jitter of $share', ({ ms, share, draw, lasts }) => {
    expect(jitteredMs(ms, share, draw)).toBeCloseTo(lasts, 9)
  })
})

describe('a sample window', () => {
  it('has no median without samples', () => {
    expect(new SampleWindow(half).medianMs()).toBeNaN()
  })

  it('B-59e lasts up to 15 % longer, by chance', () => {
    const lengthOf = (draw: number) => {
      const window = new SampleWindow(() => draw)
      for (let ms = 1; ; ms++) if (window.sample(1, 1, ms, false)) return ms - 1
    }
    expect(lengthOf(0)).toBe(100)
    expect(lengthOf(1)).toBe(115)
  })

  it('stands for all of its samples, however many', () => {
    const window = new SampleWindow(half)
    for (let i = 1; i <= 100_000; i++) window.sample(i, 1, i / 10_000, false)
    expect(window.samples).toBe(100_000)
    expect(window.medianMs()).toBeGreaterThan(48_000)
    expect(window.medianMs()).toBeLessThan(52_000)
  })

  it('waits for enough work: ten pieces, fewer where the limit is small, three at least', () => {
    const piecesOf = (slots: number) => {
      const window = new SampleWindow(half)
      window.next(0, slots, 10)
      for (let n = 1; ; n++) if (window.sample(10, 1, 1_000 * n, false)) return n
    }
    expect([1, 3, 7, 10, 500].map(piecesOf)).toEqual([3, 3, 7, 10, 10])
  })

  it('B-59a begins anew after a pause, and goes on', () => {
    const window = new SampleWindow(half)
    window.sample(500, 9, 0, false)
    window.sample(500, 9, 20, false)
    expect(window.sample(10, 1, 3_600_000, false)).toBe(false)
    expect([window.samples, window.peak, window.medianMs()]).toEqual([1, 1, 10])
    window.sample(10, 1, 3_600_100, false)
    expect(window.sample(10, 1, 3_600_200, false)).toBe(true)
  })

  it('takes no pause from work that only takes long', () => {
    const window = new SampleWindow(half)
    window.sample(20_000, 1, 0, false)
    window.sample(20_000, 1, 20_000, false)
    expect(window.sample(20_000, 1, 40_000, false)).toBe(true)
  })
})
