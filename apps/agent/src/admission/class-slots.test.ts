import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ClassSlots, LEND_AFTER_MS, reservedSlots } from './class-slots.ts'
import { gatePolicy } from './gate.testkit.ts'

const shares = (a: number, b: number, c: number, d: number) => ({
  'critical-plus': a,
  critical: b,
  'sheddable-plus': c,
  sheddable: d,
})
const classes = (reserves: ReturnType<typeof shares>, strict = false) => {
  const slots = new ClassSlots({ ...gatePolicy().classes, reserves, strict })
  return slots
}

describe('reserved slots', () => {
  it.each([
    [shares(0.25, 0.25, 0.25, 0.25), 10, [2, 2, 2, 2]],
    [shares(0.29, 0, 0, 0), 100, [29, 0, 0, 0]],
    [shares(0.01, 0.01, 0, 0), 4, [1, 1, 0, 0]],
    [shares(0.97, 0.01, 0.01, 0.01), 4, [1, 1, 1, 1]],
    [shares(0.5, 0.5, 0, 0), 3, [1, 1, 0, 0]],
    [shares(0.1, 0.1, 0.1, 0.1), 3, [0, 0, 0, 0]],
    [shares(1, 0, 0, 0), 1, [1, 0, 0, 0]],
  ])('%j of %i are %j', (reserves, limit, expected) => {
    expect([...reservedSlots(reserves, limit)]).toEqual(expected)
  })

  it('never add up past the limit, and every share above 0 has one where the limit has a slot for each class', () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.tuple(part, part, part, part), fc.integer({ min: 1, max: 500 }), (parts, limit) => {
        const sum = Math.max(1, parts[0] + parts[1] + parts[2] + parts[3])
        const given = parts.map((one) => one / sum) as [number, number, number, number]
        const slots = [...reservedSlots(shares(...given), limit)]
        expect(slots.reduce((a, b) => a + b)).toBeLessThanOrEqual(limit)
        if (limit >= 4) expect(slots.map((one) => one > 0)).toEqual(given.map((share) => share > 0))
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('who may have a free slot', () => {
  it('in every interleaving: totals stay bounded, reserves are not lent where strict, a want is kept until it is idle', () => {
    const step = fc.record({
      do: fc.constantFrom('take', 'take', 'take', 'give', 'pass', 'limit'),
      klass: fc.integer({ min: 0, max: 3 }),
      n: fc.integer({ min: 1, max: 20 }),
    })
    fc.assert(
      fc.property(fc.boolean(), fc.integer({ min: 0, max: 4 }), fc.array(step), (strict, level, steps) => {
        const slots = classes(shares(0.2, 0.3, 0.1, 0.2), strict)
        let limit = 10
        let nowMs = 0
        slots.follow(limit)
        const inUse = () => [0, 1, 2, 3].reduce((sum, klass) => sum + slots.used(klass), 0)
        for (const { do: what, klass, n } of steps) {
          if (what === 'pass') {
            nowMs += n * 100
            slots.lend(nowMs)
          } else if (what === 'limit') {
            limit = n
            slots.follow(limit)
          } else if (what === 'give') {
            if (slots.used(klass) > 0) slots.give(klass)
          } else if (slots.admits(klass, inUse(), limit, level)) {
            const own = slots.underReserve(klass)
            const shed = klass >= 4 - level
            slots.take(klass)
            expect(inUse()).toBeLessThanOrEqual(limit)
            if (shed) expect(slots.used(klass)).toBeLessThanOrEqual(slots.reserve(klass))
            if (!own) expect(inUse() + slots.idle).toBeLessThanOrEqual(limit)
            if (!own && strict)
              for (let other = 0; other < 4; other++)
                expect(limit - inUse()).toBeGreaterThanOrEqual(slots.reserve(other) - slots.used(other))
          } else {
            if (inUse() < limit) expect(slots.underReserve(klass)).toBe(false)
            slots.miss(klass)
          }
          const kept = [0, 1, 2, 3].reduce((sum, one) => sum + Math.max(0, slots.kept(one) - slots.used(one)), 0)
          expect(slots.idle).toBe(kept)
        }
      }),
      { numRuns: 5_000 },
    )
  })

  it('a lent reserve comes back one by one as it is asked for, and is lent again when idle', () => {
    const slots = classes(shares(0, 0.5, 0, 0))
    slots.follow(4)
    for (let i = 0; i < 4; i++) slots.take(3)
    expect(slots.admits(1, 4, 4, 0)).toBe(false)
    slots.miss(1)
    slots.give(3)
    expect([slots.admits(3, 3, 4, 0), slots.admits(1, 3, 4, 0)]).toEqual([false, true])
    slots.take(1)
    slots.give(1)
    expect(slots.admits(3, 3, 4, 0)).toBe(false)
    slots.lend(LEND_AFTER_MS)
    slots.lend(2 * LEND_AFTER_MS)
    expect(slots.admits(3, 3, 4, 0)).toBe(true)
  })
})
