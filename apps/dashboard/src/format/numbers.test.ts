import { describe, expect, it } from 'vitest'
import { count, duration, figure, milliseconds, NOTHING, plural, rate, share, shareOf, short } from './numbers.ts'

describe('figures for people', () => {
  it('shows a gap as a dash and a zero as a zero', () => {
    expect([count(null), count(0), rate(undefined), rate(0), share(Number.NaN)]).toEqual([
      NOTHING,
      '0',
      NOTHING,
      '0/s',
      NOTHING,
    ])
  })

  it('gives as many decimals as the size deserves', () => {
    expect([1234.5, 56.78, 0.891].map(figure)).toEqual(['1,235', '56.8', '0.89'])
    expect([999, 12_345].map(short)).toEqual(['999', '12.3K'])
  })

  it('never rounds a share to none or all of it', () => {
    expect([0, 0.0004, 0.123, 0.9996, 1].map(share)).toEqual(['0 %', '< 0.1 %', '12.3 %', '> 99.9 %', '100 %'])
    expect(shareOf(1, 0)).toBeNull()
  })

  it('chooses the unit of a duration', () => {
    expect([0, 0.00085, 0.012, 1.25, 180].map(duration)).toEqual(['0 ms', '850 µs', '12 ms', '1.25 s', '3 min'])
    expect(milliseconds(500)).toBe('500 ms')
  })

  it('counts in the singular and the plural', () => {
    expect([plural(1, 'agent'), plural(0, 'agent'), plural(2, 'policy', 'policies')]).toEqual([
      '1 agent',
      '0 agents',
      '2 policies',
    ])
  })
})
