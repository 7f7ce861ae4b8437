import type { Outcomes } from '@weir/api'
import { describe, expect, it } from 'vitest'
import { instanceRows } from './spread.ts'

const figures = (offered: number, p99: number, shed = 0) => ({
  offered: [offered * 10, null],
  completed: [(offered - shed) * 10, null],
  shed: [shed * 10, null],
  p99: [p99, null],
})
const outcomes = (series: Record<string, ReturnType<typeof figures>>): Outcomes => ({
  kind: 'gate',
  from: '',
  to: '',
  step: 10,
  groupBy: 'instance',
  series: Object.entries(series).map(([label, figures]) => ({ label, figures })),
  totals: {},
  skewed: 0,
})

describe('processes beside each other', () => {
  it('the one that is unlike the others comes first and says in what', () => {
    const rows = instanceRows(
      outcomes({ a: figures(20, 0.05), b: figures(20, 0.06), c: figures(8, 0.4, 4), d: figures(21, 0.05) }),
    )
    expect(rows.map(({ instance, oddities }) => [instance, oddities])).toEqual([
      ['c', ['p99 8 × the median', 'offered 0.4 × the median', 'refuses more than the others']],
      ['d', []],
      ['a', []],
      ['b', []],
    ])
    expect(rows[0]).toMatchObject({
      offered: 8,
      goodput: 4,
      refusedShare: 0.5,
      p99: 0.4,
      of: { offered: 21, p99: 0.4 },
    })
  })

  it('two are no crowd', () => {
    expect(
      instanceRows(outcomes({ a: figures(20, 0.05), b: figures(1, 9) })).every((row) => row.oddities.length === 0),
    ).toBe(true)
  })

  it('has the slots of the newest bucket that says', () => {
    const slots = (of: object) => instanceRows(outcomes({ a: { ...figures(1, 1), ...of } }))[0]?.slots
    expect(slots({ limit: [10, 20, null], active: [3, 4, null], zombies: [0, 1, null] })).toEqual({
      inFlight: 5,
      limit: 20,
    })
    expect(slots({})).toBeNull()
  })
})
