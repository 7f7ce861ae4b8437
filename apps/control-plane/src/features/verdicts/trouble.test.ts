import { describe, expect, it } from 'vitest'
import { highOf, partsOf, worstDependency } from './trouble.ts'
import type { CutRow, DependencyRow } from './verdict-source.ts'

const cut = (cut: CutRow['cut'], label: string, refused: number, offered = 0): CutRow => ({
  service: 's',
  cut,
  label,
  offered,
  refused,
})
const calls = (name: string, more: Partial<DependencyRow>): DependencyRow => ({
  service: 's',
  name,
  calls: 100,
  failed: 0,
  refused: 0,
  breakersOpen: 0,
  meanMs: 40,
  ...more,
})

describe('what refused work has in common', () => {
  it('is the label with most of it, by each cut', () => {
    const rows = [cut('reason', 'queue-full', 10), cut('reason', 'limit-reached', 30), cut('tenant', 'acme', 40)]
    expect(partsOf(rows)).toEqual({
      reason: { label: 'limit-reached', share: 0.75 },
      tenant: { label: 'acme', share: 1 },
      class: null,
      revision: null,
    })
  })

  it('knows the two critical classes from the others', () => {
    const rows = [cut('class', 'critical', 1, 10), cut('class', 'critical-plus', 0, 5), cut('class', 'sheddable', 9, 9)]
    expect(highOf(rows)).toEqual({ offered: 15, refused: 1 })
  })
})

describe('the dependency that is worst off', () => {
  const before = [calls('bank', {}), calls('mail', {})]

  it('is none where all answer as before', () => {
    expect(worstDependency([calls('bank', { meanMs: 60 }), calls('mail', {})], before)).toBeNull()
  })

  it('is one that is twice as slow, fails, or has an open breaker; the one that costs most calls first', () => {
    const slow = calls('bank', { meanMs: 900 })
    expect(worstDependency([slow, calls('mail', { failed: 30 })], before)).toMatchObject({
      name: 'bank',
      meanMs: 900,
      beforeMs: 40,
    })
    expect(worstDependency([calls('mail', { failed: 30 })], before)).toMatchObject({ name: 'mail', failedShare: 0.3 })
    expect(worstDependency([calls('new', { breakersOpen: 0.5, meanMs: null, calls: 0 })], before)).toMatchObject({
      name: 'new',
      breakersOpen: 0.5,
      beforeMs: null,
    })
  })
})
