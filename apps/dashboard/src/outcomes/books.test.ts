import { describe, expect, it } from 'vitest'
import { CALL_ACCOUNT, goodput, lossShare, WORK_ACCOUNT } from './books.ts'

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
const STILL = { waiting: 0, active: 0, deferring: 0 }

describe('the books', () => {
  it('add up: every piece of offered work is somewhere, goodput first', () => {
    const { terms, ...sum } = WORK_ACCOUNT.of(totals, { waiting: 15, active: 20, deferring: 0 })
    expect(sum).toMatchObject({ difference: 0, balanced: true })
    expect(terms.map(({ figure, value }) => `${figure} ${value}`)).toEqual([
      'goodput 600',
      'ignored 40',
      'late 20',
      'failed 10',
      'cancelled 13',
      'abandoned 2',
      'shed 250',
      'expired 30',
      'deferred 0',
      'underWay 35',
    ])
  })

  it('name what is missing instead of hiding it', () => {
    expect(WORK_ACCOUNT.of(totals, STILL)).toMatchObject({ difference: 35, balanced: false })
  })

  it('count what was under way before the window as work of before', () => {
    const { terms, balanced } = WORK_ACCOUNT.of({ offered: 10, completed: 14 }, { ...STILL, waiting: -4 })
    expect(balanced).toBe(true)
    expect(terms.at(-1)).toMatchObject({ label: 'fewer under way', value: -4 })
  })

  it('of calls know refusals of their own, and count no fallback twice', () => {
    const calls = { calls: 100, completed: 70, late: 3, failed: 9, cancelled: 2, shed: 12, fallbacks: 15 }
    const { terms, ...sum } = CALL_ACCOUNT.of(calls, { inFlight: 4 })
    expect(sum).toMatchObject({ difference: 0, balanced: true, whole: { figure: 'calls', value: 100 } })
    expect(terms.map(({ label, value }) => `${label} ${value}`)).toEqual([
      'completed 70',
      'late 3',
      'failed 9',
      'cancelled 2',
      'refused here 12',
      'under way 4',
    ])
  })

  it('leave ignored endings out of goodput', () => {
    expect(goodput(totals)).toBe(600)
  })

  it('count expired work as lost, and know no share of nothing', () => {
    expect([lossShare(totals), lossShare({})]).toEqual([0.28, null])
  })
})
