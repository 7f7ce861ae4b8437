import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaleQuota, shareOfQuota, shareOfUnits } from './shares.ts'

const splits = (agents: number) => Array.from({ length: agents }, (_, rank) => ({ agents, rank }))

describe('the even split', () => {
  it('whole units sum to exactly the quota, whatever the offset, and differ by at most one', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.integer({ min: 1, max: 300 }), fc.nat(2 ** 32 - 1), (units, agents, offset) => {
        const shares = splits(agents).map((split) => shareOfUnits(units, split, offset))
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(units)
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it.each([
    [1, 2, [1, 0]],
    [4, 2, [2, 2]],
    [8, 2, [4, 4]],
    [1, 4, [1, 0, 0, 0]],
    [16, 4, [4, 4, 4, 4]],
    [10, 4, [3, 3, 2, 2]],
  ])('E1 %i units over %i agents, never more than the quota in sum', (units, agents, shares) => {
    expect(splits(agents).map((split) => shareOfUnits(units, split))).toEqual(shares)
  })

  it('a quota: rate and burst divide, what is not limited stays so, zero stays zero', () => {
    expect(shareOfQuota({ rate: 10, burst: 4, concurrency: null, weight: 2 }, { agents: 4, rank: 0 }, 'acme')).toEqual({
      rate: 2.5,
      burst: 1,
      concurrency: null,
      weight: 2,
    })
    expect(
      shareOfQuota({ rate: 0, burst: null, concurrency: 0, weight: 1 }, { agents: 3, rank: 2 }, 'acme'),
    ).toMatchObject({ rate: 0, concurrency: 0 })
  })
})

describe('a quota under feedback', () => {
  const quota = { rate: 100, burst: 20, concurrency: 4, weight: 3 }

  it('shrinks in rate, burst and slots, the weight stays, and what lets something pass lets one pass', () => {
    expect(scaleQuota(quota, 1)).toBe(quota)
    expect(scaleQuota(quota, 0.5)).toEqual({ rate: 50, burst: 10, concurrency: 2, weight: 3 })
    expect(scaleQuota(quota, 0.1)).toEqual({ rate: 10, burst: 2, concurrency: 1, weight: 3 })
    expect(scaleQuota({ rate: null, burst: null, concurrency: 0, weight: 1 }, 0.1)).toEqual({
      rate: null,
      burst: null,
      concurrency: 0,
      weight: 1,
    })
  })
})
