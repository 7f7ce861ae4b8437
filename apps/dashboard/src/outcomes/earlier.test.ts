import type { Outcomes } from '@weir/api'
import { expect, it } from 'vitest'
import { movedToNow } from './earlier.ts'

it('an earlier time is moved to the present, and coarser buckets are spread without losing work', () => {
  const then: Outcomes = {
    kind: 'gate',
    from: new Date(1_000_000).toISOString(),
    to: new Date(1_020_000).toISOString(),
    step: 10,
    groupBy: 'none',
    series: [{ label: '', figures: { offered: [20, null], completed: [10, null], shed: [10, null] } }],
    totals: {},
    skewed: 0,
  }
  const now = movedToNow(then, 3_600, 1)
  expect(now).toMatchObject({ from: new Date(4_600_000).toISOString(), step: 1 })
  expect(now.series[0]?.figures.offered?.slice(0, 11)).toEqual([...new Array(10).fill(2), null])
  expect(now.series[0]?.figures.shed).toBeUndefined()
  expect(movedToNow(then, 3_600, 10).series[0]?.figures.completed).toEqual([10, null])
})
