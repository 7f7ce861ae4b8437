import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RollingWindow } from './window.ts'

describe('rolling window', () => {
  it('O-11 drops every slot that is old, not one a push', () => {
    const window = new RollingWindow(10_000, 10, 1, 0)
    for (let i = 0; i < 40; i++) window.add(i * 100, 0, 1)
    expect(window.sum(3_600_000, 0)).toBe(0)
  })

  it('B-76a a clock that steps back changes nothing', () => {
    const window = new RollingWindow(1_000, 10, 1, 5_000)
    window.add(5_000, 0, 3)
    window.add(1_400, 0, 1)
    expect(window.sum(1_400, 0)).toBe(4)
    expect(window.sum(5_900, 0)).toBe(4)
    expect(window.sum(6_000, 0)).toBe(0)
  })

  it('holds what is younger than the window less a slot, and nothing older than the window', () => {
    const step = fc.record({ waitMs: fc.integer({ min: 0, max: 400 }), amount: fc.integer({ min: 0, max: 9 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const window = new RollingWindow(1_000, 10, 2, 0)
        const added: { at: number; amount: number }[] = []
        let now = 0
        for (const { waitMs, amount } of steps) {
          now += waitMs
          window.add(now, 1, amount)
          added.push({ at: now, amount })
          const since = (age: number) =>
            added.filter(({ at }) => at > now - age).reduce((sum, one) => sum + one.amount, 0)
          expect(window.sum(now, 1)).toBeGreaterThanOrEqual(since(900))
          expect(window.sum(now, 1)).toBeLessThanOrEqual(since(1_000))
          expect(window.sum(now, 0)).toBe(0)
        }
      }),
    )
  })

  it('another length keeps what it holds', () => {
    const window = new RollingWindow(1_000, 10, 1, 0)
    window.add(500, 0, 7)
    window.resize(60_000, 900)
    expect(window.sum(30_000, 0)).toBe(7)
    window.resize(100, 30_000)
    expect(window.sum(30_050, 0)).toBe(7)
    expect(window.sum(30_200, 0)).toBe(0)
  })
})
