import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { currentContext } from '../core/context.ts'
import { bench, gatePolicy, permitOf, settings } from './gate.testkit.ts'
import { Inflation } from './inflation.ts'

describe('inflation', () => {
  it('of any row of n pieces at most cap x n + 10 stay in the top class, and a caller under the cap keeps all', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.array(fc.boolean(), { maxLength: 400 }),
        (cap, row) => {
          const inflation = new Inflation()
          inflation.obey(cap)
          const granted = row.map((top) => top && inflation.grants('a', top))
          for (let from = 0; from < row.length; from += 17) {
            const stayed = granted.slice(from).filter(Boolean).length
            expect(stayed).toBeLessThanOrEqual(cap * (row.length - from) + 10 + 1e-6)
          }
          if (cap === 1) expect(granted).toEqual(row)
          if (cap === 0) expect(granted.some(Boolean)).toBe(false)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('one caller does not use up another’s share, and the table is bounded', () => {
    const inflation = new Inflation()
    inflation.obey(0.1)
    for (let i = 0; i < 100; i++) inflation.grants('greedy', true)
    expect([inflation.grants('greedy', true), inflation.grants('modest', true)]).toEqual([false, true])
    for (let i = 0; i < 5_000; i++) {
      inflation.grants(`caller ${i}`, false)
      inflation.grants('greedy', true)
    }
    expect(inflation.size).toBe(1_000)
    expect(inflation.grants('greedy', true)).toBe(false)
  })

  it('the surplus runs, and travels on, as the next class below', () => {
    const capped = gatePolicy({ limit: 1_000, classes: { topShareCap: 0.2, highest: 'critical' } })
    const { gate, figures } = bench(settings(capped))
    const trusted = { criticality: 'critical-plus', caller: 'checkout' } as const
    for (let i = 0; i < 110; i++) permitOf(gate.tryAcquire(trusted))
    const count = (klass: string) => figures().sum('offered', { class: klass })
    expect(count('critical-plus')).toBeGreaterThan(25)
    expect(count('critical-plus')).toBeLessThanOrEqual(32)
    expect(count('critical')).toBe(110 - count('critical-plus'))
    const demoted = permitOf(gate.tryAcquire({ ...trusted }))
    expect(gate.within(trusted, demoted, () => currentContext()?.criticality)).toBe('critical')
    for (let i = 0; i < 100; i++) gate.tryAcquire({ criticality: 'critical' })
    expect(figures().sum('offered', { class: 'sheddable-plus' })).toBeGreaterThan(60)
  })

  it('work that names no class, or one that is not the top, is left alone', () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1_000, classes: { topShareCap: 0 } })))
    for (let i = 0; i < 50; i++) gate.tryAcquire({})
    for (let i = 0; i < 50; i++) gate.tryAcquire({ criticality: 'critical', caller: 'x' })
    expect([
      figures().sum('offered', { class: 'sheddable-plus' }),
      figures().sum('offered', { class: 'critical' }),
    ]).toEqual([50, 50])
  })
})
