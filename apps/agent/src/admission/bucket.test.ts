import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Bucket } from './bucket.ts'

const at = (lastMs: number) => ({ lastMs })

/** Takes as many units as pass at one moment, at most `most`. */
const drain = (bucket: Bucket, nowMs: number, most = 1_000): number => {
  let passed = 0
  while (passed < most && bucket.has(1, nowMs)) {
    bucket.take(1, at(nowMs))
    passed++
  }
  return passed
}

describe('a token bucket', () => {
  it('starts empty and refills by rate, up to its burst', () => {
    const bucket = new Bucket({ rate: 10, burst: 5 }, 0)
    expect(drain(bucket, 0)).toBe(0)
    expect(drain(bucket, 99)).toBe(0)
    expect(drain(bucket, 100)).toBe(1)
    expect(drain(bucket, 60_000)).toBe(5)
  })

  it('a share below one token accumulates to one, exactly at the rate', () => {
    const bucket = new Bucket({ rate: 0.1, burst: 0.1 }, 0)
    const passed = Array.from({ length: 100 }, (_, second) => drain(bucket, second * 1_000)).reduce((a, b) => a + b)
    expect(passed).toBe(9)
    expect(drain(bucket, 100_000)).toBe(1)
    expect(drain(bucket, 100_000)).toBe(0)
  })

  it.each([
    { rate: 0, burst: 10 },
    { rate: 10, burst: 0 },
  ])('%j lets nothing pass', (flow) => {
    const bucket = new Bucket(flow, 0)
    expect(drain(bucket, 3_600_000)).toBe(0)
  })

  it('work that costs more than the burst passes when it is full, and leaves a debt', () => {
    const bucket = new Bucket({ rate: 10, burst: 10 }, 0)
    expect(bucket.has(50, 900)).toBe(false)
    expect(bucket.has(50, 1_000)).toBe(true)
    bucket.take(50, at(1_000))
    expect(bucket.has(1, 5_000)).toBe(false)
    expect(bucket.has(1, 5_100)).toBe(true)
  })

  it('what is taken from a full bucket without asking for the time is not refilled for the time that it was full', () => {
    const bucket = new Bucket({ rate: 10, burst: 10 }, 0)
    expect([bucket.has(10, 1_000), bucket.holds(10)]).toEqual([true, true])
    bucket.take(10, at(60_000))
    expect(bucket.holds(1)).toBe(false)
    expect(bucket.has(1, 60_000)).toBe(false)
  })

  it('a clock that steps back takes and gives nothing', () => {
    const bucket = new Bucket({ rate: 10, burst: 10 }, 1_000)
    expect(drain(bucket, 1_500)).toBe(5)
    expect(drain(bucket, 200)).toBe(0)
    expect(drain(bucket, 1_600)).toBe(1)
  })

  it('an edit adds the difference of the bursts at once; a smaller burst keeps what was used and makes no debt', () => {
    const bucket = new Bucket({ rate: 1, burst: 100 }, 0)
    expect(drain(bucket, 100_000, 2)).toBe(2)
    bucket.edit({ rate: 1, burst: 10 }, 100_000)
    bucket.edit({ rate: 1, burst: 200 }, 100_000)
    expect(drain(bucket, 100_000)).toBe(198)
    bucket.edit({ rate: 1, burst: 20 }, 100_000)
    expect(drain(bucket, 101_000)).toBe(1)
  })

  it('another share of the same quota gives no tokens to the gainer and clips the loser', () => {
    const bucket = new Bucket({ rate: 10, burst: 10 }, 0)
    expect(drain(bucket, 1_000, 4)).toBe(4)
    bucket.reshare({ rate: 100, burst: 100 }, 1_000)
    expect(drain(bucket, 1_000, 2)).toBe(2)
    bucket.reshare({ rate: 3, burst: 3 }, 1_000)
    expect(drain(bucket, 1_000)).toBe(3)
  })

  it('in no interleaving passes more than the burst and the rate allow', () => {
    const step = fc.record({ waitMs: fc.integer({ min: 0, max: 500 }), asks: fc.integer({ min: 0, max: 30 }) })
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 200, noNaN: true }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(step),
        (rate, burst, steps) => {
          const bucket = new Bucket({ rate, burst }, 0)
          let nowMs = 0
          let passed = 0
          for (const { waitMs, asks } of steps) {
            nowMs += waitMs
            passed += drain(bucket, nowMs, asks)
            expect(passed).toBeLessThanOrEqual((rate * nowMs) / 1_000 + 1e-6)
          }
          nowMs += 10_000_000
          expect(drain(bucket, nowMs)).toBe(burst)
        },
      ),
      { numRuns: 300 },
    )
  })
})
