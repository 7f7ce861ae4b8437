import { describe, expect, it } from 'vitest'
import { ago, fieldOf, moment, parseField, span } from './times.ts'
import { setZone } from './zone.ts'

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

  it('writes and reads UTC where that is asked for, and says so', () => {
    setZone('utc')
    expect(moment('2026-01-02T03:04:05Z')).toBe('02 Jan 2026, 03:04:05 UTC')
    expect(parseField(fieldOf(1_767_323_045))).toBe(1_767_323_045_000)
    setZone('local')
    expect(parseField(fieldOf(1_767_323_045))).toBe(1_767_323_045_000)
  })
})
