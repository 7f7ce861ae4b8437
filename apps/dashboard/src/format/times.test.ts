import { describe, expect, it } from 'vitest'
import { ago, span } from './times.ts'

describe('times for people', () => {
  it('says how long ago in the coarsest unit that still informs', () => {
    const now = 1_000_000_000
    const at = (seconds: number) => ago(now - seconds * 1000, now)
    expect([0, 12, 89, 300, 7200, 200_000].map(at)).toEqual([
      'just now',
      '12 s ago',
      '89 s ago',
      '5 min ago',
      '2 h ago',
      '2 days ago',
    ])
  })

  it('never says that something will have been heard: a clock that is ahead reads as now', () => {
    expect(ago(5_000, 1_000)).toBe('just now')
  })

  it('says how long something lasted', () => {
    expect([45_000, 720_000, 12_600_000].map(span)).toEqual(['45 s', '12 min', '3.5 h'])
  })
})
