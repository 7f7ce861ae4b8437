import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { FigureAttributes } from '../core/figures.ts'
import { TenantNames } from './tenant-names.ts'

const KEY = 'k'.repeat(32)

describe('tenants that are told by a hash', () => {
  it('have one name everywhere, another under another key, and it is the documented one', () => {
    const name = new TenantNames(KEY).told('acme')
    expect(new TenantNames(KEY).told('acme')).toBe(name)
    expect(new TenantNames('z'.repeat(32)).told('acme')).not.toBe(name)
    expect(new TenantNames(KEY).told('zeta')).not.toBe(name)
    const digest = createHmac('sha256', KEY).update('weir tenant 1\nacme').digest('hex')
    expect(name).toBe(`t-${digest.slice(0, 16)}`)
  })

  it('keep the labels that are nobody', () => {
    const names = new TenantNames(KEY)
    expect(['none', 'other', ''].map((label) => names.told(label))).toEqual(['none', 'other', ''])
  })

  it('stay bounded over a million names', () => {
    const names = new TenantNames(KEY)
    const first = names.told('tenant 0')
    for (let i = 0; i < 10_000; i++) names.told(`tenant ${i}`)
    expect(names.told('tenant 0')).toBe(first)
  })

  it('leave everything else of a figure as it was, and what has no tenant without one', () => {
    const seen: FigureAttributes[] = []
    const put = (_name: string, _value: unknown, ...rest: unknown[]) => void seen.push(rest.at(-1) as FigureAttributes)
    const sink = new TenantNames(KEY).sink({ counter: put, gauge: put, histogram: put })
    sink.counter('weir.gate.offered', 1, { gate: 'g', class: 'critical', tenant: 'acme' })
    sink.gauge('weir.gate.limit', 1, { gate: 'g' })
    expect(seen).toEqual([
      { gate: 'g', class: 'critical', tenant: expect.stringMatching(/^t-[0-9a-f]{16}$/) },
      { gate: 'g' },
    ])
  })
})
