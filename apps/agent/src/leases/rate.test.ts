import { type LeaseGrant, RATE_GRAINS } from '@weir/policy/model'
import { describe, expect, it } from 'vitest'
import { Bucket } from '../admission/bucket.ts'
import { INPUT } from '../admission/inputs.ts'
import { LeasedRate } from './rate.ts'

const grant = (id: number, rate: number, parts: Partial<LeaseGrant> = {}): LeaseGrant => ({
  epoch: 'first',
  quota: 1_000 * RATE_GRAINS,
  id,
  units: rate * RATE_GRAINS,
  safe: 20 * RATE_GRAINS,
  lengthMs: 10_000,
  waitMs: 20_000,
  deadMs: 60_000,
  refreshMs: 2_500,
  ...parts,
})

const rig = () => {
  const bucket = new Bucket({ rate: 0, burst: 0 }, 0)
  const row = new Float64Array(Object.keys(INPUT).length)
  const leased = new LeasedRate({ rate: 1_000, burst: 2_000 }, bucket)
  const tokens = (nowMs: number) => {
    leased.settle(nowMs)
    bucket.has(0, nowMs)
    bucket.put(row)
    return row[INPUT.tokens] ?? 0
  }
  const drain = (nowMs: number) => bucket.take(tokens(nowMs), { lastMs: nowMs })
  return { bucket, leased, tokens, drain }
}

describe('a leased rate', () => {
  it('fills as its lease lets it, and saves up its part of the burst', () => {
    const { leased, tokens } = rig()
    expect(tokens(5_000)).toBe(0)
    leased.take(grant(1, 100), 5_000, 5_000)
    expect([5_000, 5_100, 9_000].map(tokens)).toEqual([0, 10, 200])
  })

  it('changes without a step: more fills faster, less clips, renewal changes nothing', () => {
    const { leased, tokens } = rig()
    leased.take(grant(1, 100), 0, 0)
    expect(tokens(1_000)).toBeCloseTo(100)
    leased.take(grant(2, 500), 1_000, 1_000)
    expect(tokens(1_000)).toBeCloseTo(100)
    expect(tokens(1_100)).toBeCloseTo(150)
    leased.take(grant(3, 500), 1_100, 1_100)
    expect(tokens(1_100)).toBeCloseTo(150)
    leased.take(grant(4, 10), 1_100, 1_100)
    expect(tokens(1_100)).toBe(20)
  })

  it('a lease that ended while nobody looked let no more pass than it did', () => {
    const { leased, tokens, drain } = rig()
    leased.take(grant(1, 100, { lengthMs: 1_000 }), 0, 0)
    drain(500)
    // A second's burst of a hundredth: 990 ms of the lease, then a fifth of it, as saved up as that may be.
    expect(tokens(1_500)).toBe(40)
    drain(1_500)
    expect(tokens(2_500)).toBeCloseTo(20)
  })

  it('of a silent agent stops when it counts as dead', () => {
    const { leased, tokens } = rig()
    leased.take(grant(1, 100), 0, 0)
    expect(tokens(59_399)).toBe(40)
    expect(tokens(59_400)).toBe(0)
    expect(tokens(90_000)).toBe(0)
  })

  it('a share below one token saves up to one', () => {
    const { leased, tokens } = rig()
    leased.take(grant(1, 0.1, { lengthMs: 30_000 }), 0, 0)
    expect([5_000, 10_000, 20_000].map((atMs) => tokens(atMs))).toEqual([
      expect.closeTo(0.5),
      expect.closeTo(1),
      expect.closeTo(1),
    ])
  })
})
