import { describe, expect, it } from 'vitest'
import { arrivals, endings, goodput, lossShare } from './books.ts'

const totals = {
  offered: 1_000,
  accepted: 700,
  shed: 250,
  expired: 30,
  cancelledWaiting: 5,
  completed: 640,
  late: 20,
  failed: 10,
  cancelled: 8,
  abandoned: 2,
  ignored: 40,
}

describe('the books', () => {
  it('add up: every piece of offered work is somewhere', () => {
    expect(arrivals(totals, { waiting: 15, active: 0 })).toMatchObject({ difference: 0, balanced: true })
    expect(endings(totals, { waiting: 0, active: 20 })).toMatchObject({ difference: 0, balanced: true })
  })

  it('name what is missing instead of hiding it', () => {
    expect(arrivals(totals, { waiting: 0, active: 0 })).toMatchObject({ difference: 15, balanced: false })
  })

  it('count what was waiting before the window as work of before', () => {
    expect(arrivals({ offered: 10, accepted: 14 }, { waiting: -4, active: 0 }).balanced).toBe(true)
  })

  it('leave ignored endings out of goodput', () => {
    expect(goodput(totals)).toBe(600)
  })

  it('count expired work as lost, and know no share of nothing', () => {
    expect([lossShare(totals), lossShare({})]).toEqual([0.28, null])
  })
})
