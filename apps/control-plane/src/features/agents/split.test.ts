import { burstOf, type Quota, shareOfQuota } from '@weir/policy/model'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evenSplit, type SplitMember } from './split.ts'

const member = fc.record({ instance: fc.string({ minLength: 1, maxLength: 6 }), joinedAtMs: fc.nat(20) })
const members = fc.uniqueArray(member, { selector: (m) => m.instance, minLength: 1, maxLength: 60 })
const quota: fc.Arbitrary<Quota> = fc.record({
  rate: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
  burst: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
  concurrency: fc.option(fc.nat(10_000)),
  weight: fc.constant(1),
})
const sum = (values: (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0)

describe('the even split', () => {
  it('ranks are unique and dense', () => {
    fc.assert(
      fc.property(members, (all) => {
        const splits = [...evenSplit(all).values()]
        expect(splits.map((split) => split.rank).sort((a, b) => a - b)).toEqual(all.map((_, n) => n))
        expect(new Set(splits.map((split) => split.agents))).toEqual(new Set([all.length]))
      }),
    )
  })

  it('shares of every quota sum to at most the quota, also while the divisor is held', () => {
    fc.assert(
      fc.property(members, quota, fc.nat(80), fc.string(), (all, whole, held, tenant) => {
        const shares = [...evenSplit(all, held).values()].map((split) => shareOfQuota(whole, split, tenant))
        const rounded = (value: number) => value * (1 + 1e-9) + 1e-9
        expect(sum(shares.map((share) => share.rate))).toBeLessThanOrEqual(rounded(whole.rate ?? 0))
        expect(sum(shares.map((share) => share.burst))).toBeLessThanOrEqual(rounded(burstOf(whole)))
        expect(sum(shares.map((share) => share.concurrency))).toBeLessThanOrEqual(whole.concurrency ?? 0)
      }),
    )
  })

  it('depends on the members alone, not on the order in which they are known', () => {
    fc.assert(
      fc.property(members, (all) => {
        expect(new Map([...evenSplit([...all].reverse())].sort())).toEqual(new Map([...evenSplit(all)].sort()))
      }),
    )
  })

  it('a newcomer moves nobody', () => {
    fc.assert(
      fc.property(members, (all) => {
        const before = evenSplit(all)
        const newcomer: SplitMember = { instance: 'newcomer', joinedAtMs: 21 }
        const after = evenSplit([newcomer, ...all])
        for (const [instance, split] of before) expect(after.get(instance)?.rank).toBe(split.rank)
        expect(after.get('newcomer')).toEqual({ agents: all.length + 1, rank: all.length })
      }),
    )
  })

  it('who leaves moves nobody by more than one place, and nobody who joined before', () => {
    fc.assert(
      fc.property(members, fc.nat(59), (all, n) => {
        const gone = all[n % all.length]!
        const before = evenSplit(all)
        const after = evenSplit(all.filter((one) => one !== gone))
        const place = before.get(gone.instance)!.rank
        for (const [instance, split] of after) {
          const was = before.get(instance)!.rank
          expect(split.rank).toBe(was > place ? was - 1 : was)
        }
      }),
    )
  })
})
