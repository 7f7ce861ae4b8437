import type { LiveRow } from '@weir/api'
import { describe, expect, it } from 'vitest'
import { RecentRows, sumFigures } from './sums.ts'

const row = (name: string, offered: number): LiveRow => ({
  kind: 'gate',
  service: 'orders',
  name,
  edge: true,
  figures: { offered },
})

describe('sums over gates', () => {
  it('adds counts and keeps the largest age, level and percentile', () => {
    expect(
      sumFigures([
        { offered: 3, oldestAgeMs: 100, p99: 0.2, level: 0 },
        { offered: 4, oldestAgeMs: 250, p99: 0.1, level: 2 },
      ]),
    ).toEqual({ offered: 7, oldestAgeMs: 250, p99: 0.2, level: 2 })
  })

  it('takes a repeated second row by row: nothing is counted twice and nothing is lost', () => {
    const recent = new RecentRows()
    recent.accept(100, [row('a', 1), row('b', 2)])
    const rows = recent.accept(100, [row('b', 5)])
    expect(sumFigures(rows.map((r) => r.figures))).toEqual({ offered: 6 })
  })

  it('keeps only the newest seconds', () => {
    const recent = new RecentRows(2)
    for (const second of [100, 101, 102]) recent.accept(second, [row('a', second)])
    expect(recent.accept(100, []).length).toBe(0)
  })
})
