import { describe, expect, it } from 'vitest'
import { ceilingOf, timeLabels } from './axis.ts'

describe('axes', () => {
  it('show seconds only where ticks are closer than a minute, and the date at midnight', () => {
    const noon = new Date(2026, 0, 5, 12, 30, 15).getTime() / 1000
    const midnight = new Date(2026, 0, 6).getTime() / 1000
    expect(timeLabels([noon], 15)).toEqual(['12:30:15'])
    expect(timeLabels([noon, midnight], 3_600)).toEqual(['12:30', '6 Jan'])
  })

  it('begin at 0 and end a little above the highest value, at a round number', () => {
    expect([ceilingOf(95, 1), ceilingOf(190, 1), ceilingOf(0.02, 0.001)]).toEqual([150, 250, 0.025])
  })

  it('are never empty', () => {
    expect([ceilingOf(null, 1), ceilingOf(0, 1)]).toEqual([1, 1])
  })
})
