import { describe, expect, it } from 'vitest'
import { LevelMeter } from './level.ts'
import { reading } from './signals.testkit.ts'

const delay = { eventLoopDelayMs: { open: 100, close: 50 } }
const after = (meter: LevelMeter, ...values: number[]) =>
  values.map((value) => meter.sample(reading('eventLoopDelayMs', value), delay))

describe('an overload level', () => {
  it('takes two high samples in a row to open', () => {
    const meter = new LevelMeter()
    expect(after(meter, 100, 0, 100, 70, 100, 99)).toEqual([0, 0, 0, 0, 0, 0])
    expect(after(meter, 100, 100)).toEqual([0, 1])
    expect(meter.open).toEqual(['eventLoopDelayMs'])
  })

  it('takes two low samples in a row to close', () => {
    const meter = new LevelMeter()
    after(meter, 100, 100)
    expect(after(meter, 50, 51, 50, 50)).toEqual([1, 1, 1, 0])
    expect(meter.open).toEqual([])
  })

  it('rises by one for every two samples that are still high, to 4, and falls as fast', () => {
    const meter = new LevelMeter()
    expect(after(meter, ...Array(12).fill(100))).toEqual([0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 4])
    expect(after(meter, ...Array(9).fill(0))).toEqual([4, 3, 3, 2, 2, 1, 1, 0, 0])
  })

  it('B-84a a reading that swings around one threshold opens once, and closes once it is below the other', () => {
    const meter = new LevelMeter()
    after(meter, 101, 101)
    for (const value of [99, 99, 101, 101, 99, 99, 51, 51]) {
      after(meter, value)
      expect(meter.open).toHaveLength(1)
    }
    after(meter, 49, 49)
    for (const value of [51, 51, 49, 49, 99, 99, 51, 51]) {
      after(meter, value)
      expect(meter.open).toHaveLength(0)
    }
  })

  it('stays between the thresholds', () => {
    const meter = new LevelMeter()
    after(meter, 100, 100, 100, 100)
    expect(after(meter, ...Array(20).fill(75))).toEqual(Array(20).fill(2))
  })

  it('turns a signal off that is unknown: neither high nor 0', () => {
    const meter = new LevelMeter()
    expect(after(meter, 100, Number.NaN, 100, Number.NaN)).toEqual([0, 0, 0, 0])
    after(meter, 100, 100)
    expect(after(meter, Number.NaN, Number.NaN, Number.NaN)).toEqual([1, 0, 0])
  })

  it('holds as long as one of several signals does', () => {
    const both = { eventLoopDelayMs: { open: 100, close: 50 }, heapShare: { open: 0.9, close: 0.8 } }
    const meter = new LevelMeter()
    const sample = (delayMs: number, heap: number) =>
      meter.sample({ ...reading('eventLoopDelayMs', delayMs), heapShare: heap }, both)
    sample(200, 0.85)
    sample(200, 0.95)
    sample(0, 0.95)
    expect([sample(0, 0.85), sample(0, 0.85), sample(0, 0.85), meter.open]).toEqual([1, 1, 1, ['heapShare']])
    sample(0, 0.7)
    expect(sample(0, 0.7)).toBe(0)
  })

  it('falls when a new policy takes the thresholds away, and keeps what stays', () => {
    const meter = new LevelMeter()
    after(meter, 100, 100, 100, 100)
    const quiet = reading('heapShare', 0)
    expect([meter.sample(quiet, {}), meter.sample(quiet, {}), meter.sample(quiet, {})]).toEqual([1, 1, 0])
  })
})
