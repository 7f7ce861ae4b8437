import { describe, expect, it } from 'vitest'
import type { FigureSink } from '../core/figures.ts'
import { Ring } from './ring.ts'

const WALL_0 = 1_700_000_000_000
const count = (sink: FigureSink) => sink.counter('weir.gate.offered', 1, { gate: 'a' })

describe('windows on their way out', () => {
  it('merge while unsent up to ten seconds, and are frozen and numbered when first sent', () => {
    const ring = new Ring(() => WALL_0, 0)
    for (let second = 1; second <= 25; second++) ring.collect(second * 1_000, count)
    expect(ring.length).toBe(3)
    const first = ring.head(25_000)
    ring.collect(26_000, count)
    expect(ring.head(26_000)).toBe(first)
    expect(first?.series.map(({ value }) => value)).toEqual([10])
    const sums: number[] = []
    for (let window = ring.head(26_000); window !== null; window = ring.head(26_000)) {
      sums.push(window.series[0]?.value ?? 0)
      expect(window.sequence).toBe(sums.length)
      ring.acknowledged()
    }
    expect(sums.reduce((sum, n) => sum + n, 0)).toBe(26)
  })

  it('keep what was handed over before a fault', () => {
    const ring = new Ring(() => WALL_0, 0)
    const failing = (sink: FigureSink) => {
      count(sink)
      throw new Error('collect')
    }
    expect(() => ring.collect(1_000, failing)).toThrow('collect')
    ring.collect(2_000, count)
    expect(ring.head(2_000)?.series.map(({ value }) => value)).toEqual([2])
  })

  it('keep a window that says nothing out of the way', () => {
    const ring = new Ring(() => WALL_0, 0)
    ring.collect(1_000, () => undefined)
    expect(ring.head(1_000)).toBeNull()
  })

  it('tell no window of many minutes, though the process was stopped for so long', () => {
    const ring = new Ring(() => WALL_0 + 600_000, 0)
    ring.collect(600_000, count)
    const window = ring.head(600_000)
    expect((window?.endEpochMs ?? 0) - (window?.startEpochMs ?? 0)).toBe(60_000)
    expect(window?.endEpochMs).toBe(WALL_0 + 600_000)
  })

  it('count what they give up, the lost counts of losses too', () => {
    const ring = new Ring(() => WALL_0, 0)
    ring.collect(1_000, count)
    ring.head(1_000)
    ring.refused()
    expect(ring.dropped).toBe(1)
    ring.collect(2_000, count)
    ring.head(2_000)
    ring.refused()
    expect(ring.dropped).toBe(2)
    ring.collect(3_000, count)
    const said = ring.head(3_000)?.series.find(({ name }) => name === 'weir.telemetry.dropped')
    expect(said?.value).toBe(2)
    ring.expire(700_000)
    expect(ring.dropped).toBe(3)
  })
})
