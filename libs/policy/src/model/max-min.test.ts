import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import cases from '../../../../spec/shares.json' with { type: 'json' }
import { type Claim, maxMin, maxMinUnits, waterLevel } from './max-min.ts'

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const claimsOf = (wants: readonly number[], weights?: readonly number[]): Claim[] =>
  wants.map((want, i) => ({ want, weight: weights?.[i] ?? 1 }))

/** Unit by unit to whoever has least for its weight and wants more; the first of equals. */
const unitByUnit = (capacity: number, claims: readonly Claim[]): number[] => {
  const shares = claims.map(() => 0)
  for (let left = capacity; left > 0; left--) {
    const hungry = claims.map((_, i) => i).filter((i) => shares[i]! < claims[i]!.want)
    if (hungry.length === 0) break
    const poorest = hungry.reduce((a, b) => (shares[b]! < shares[a]! ? b : a))
    shares[poorest] = shares[poorest]! + 1
  }
  return shares
}

const claim = fc.record({ want: fc.nat(30), weight: fc.integer({ min: 1, max: 5 }) })
/** Rates from a thousandth to a million, none so small that its digits are lost. */
const rate = fc.nat(1_000_000_000).map((thousandths) => thousandths / 1_000)
const skewed = fc.record({
  want: fc.oneof(
    fc.nat(1_000).map((thousandths) => thousandths / 1_000),
    rate,
  ),
  weight: fc.integer({ min: 1, max: 10_000 }).map((hundredths) => hundredths / 100),
})

describe('max-min shares', () => {
  it.each(cases.rates)('of a rate: $name', ({ capacity, wants, weights, shares }) => {
    const got = maxMin(capacity, claimsOf(wants, weights))
    expect(got).toHaveLength(shares.length)
    for (const [i, share] of shares.entries()) expect(got[i]).toBeCloseTo(share, 9)
  })

  it.each(cases.units)('of whole units: $name', ({ capacity, wants, weights, shares }) => {
    expect(maxMinUnits(capacity, claimsOf(wants, weights))).toEqual(shares)
  })

  it('in whole units are what giving unit by unit to the poorest comes to', () => {
    fc.assert(
      fc.property(fc.nat(120), fc.array(fc.nat(30), { maxLength: 12 }), (capacity, wants) => {
        const claims = claimsOf(wants)
        expect(maxMinUnits(capacity, claims)).toEqual(unitByUnit(capacity, claims))
      }),
      { numRuns: 2_000 },
    )
  })

  it('in whole units by weight: nothing left over, nobody past its want, within one unit of the exact share', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.array(claim, { maxLength: 20 }), (capacity, claims) => {
        const exact = maxMin(capacity, claims)
        const shares = maxMinUnits(capacity, claims)
        expect(sum(shares)).toBe(Math.min(capacity, sum(claims.map(({ want }) => want))))
        for (const [i, share] of shares.entries()) {
          expect(share).toBeLessThanOrEqual(claims[i]!.want)
          expect(Math.abs(share - exact[i]!)).toBeLessThan(1 + 1e-9)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('of a rate: everything wanted is given, and who got less than it wants has no less for its weight than anybody', () => {
    fc.assert(
      fc.property(rate, fc.array(skewed, { maxLength: 60 }), (capacity, claims) => {
        const shares = maxMin(capacity, claims)
        const wanted = sum(claims.map(({ want }) => want))
        expect(sum(shares)).toBeLessThanOrEqual(capacity * (1 + 1e-9))
        expect(sum(shares)).toBeGreaterThanOrEqual(Math.min(capacity, wanted) * (1 - 1e-9))
        const most = Math.max(...shares.map((share, i) => share / claims[i]!.weight))
        for (const [i, share] of shares.entries())
          if (share < claims[i]!.want) expect(share / claims[i]!.weight).toBeGreaterThanOrEqual(most * (1 - 1e-9))
      }),
      { numRuns: 2_000 },
    )
  })

  it('do not depend on the guess that they start from', () => {
    fc.assert(
      fc.property(
        rate,
        fc.array(skewed, { maxLength: 60 }),
        fc.double({ min: 0, noNaN: true }),
        (capacity, claims, guess) => {
          const level = waterLevel(capacity, claims)
          const guessed = waterLevel(capacity, claims, guess)
          if (level === Number.POSITIVE_INFINITY) expect(guessed).toBe(level)
          else expect(Math.abs(guessed - level)).toBeLessThanOrEqual(level * 1e-9)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['doubling', (i: number) => 2 ** (i % 50)],
    ['a heavy tail', (i: number) => 1e9 / (i + 1) ** 2],
    ['evenly spread', (i: number) => i],
  ])('of ten thousand claims need few passes over them: %s', (_, wantOf) => {
    let reads = 0
    const claims = Array.from({ length: 10_000 }, (_, i) => ({
      weight: 1,
      get want() {
        reads++
        return wantOf(i)
      },
    }))
    const capacity = 0.7 * sum(claims.map(({ want }) => want))
    reads = 0
    waterLevel(capacity, claims)
    expect(reads / claims.length).toBeLessThanOrEqual(20)
  })
})
