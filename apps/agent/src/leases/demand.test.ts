import { describe, expect, it } from 'vitest'
import { RateDemand, SlotDemand } from './demand.ts'

describe('the demand for a rate', () => {
  it('is what arrived per second, refused or not; a tenth and one more in a refresh only where nobody needs it', () => {
    const demand = new RateDemand(5_000, 0)
    demand.started(450)
    demand.started(-50)
    demand.refused(100)
    expect(demand.tell(5_000)).toEqual({ want: 100, spare: expect.closeTo(10.2), used: 80 })
  })

  it('falls one window after it ended: a pause is no end, two are', () => {
    const demand = new RateDemand(5_000, 0)
    demand.started(500)
    demand.tell(5_000)
    expect([demand.tell(10_000).want, demand.tell(15_000).want]).toEqual([100, 0])
  })

  it('is told out of turn where it has outgrown what was told, not for a little more', () => {
    const demand = new RateDemand(5_000, 0)
    demand.started(500)
    demand.tell(5_000)
    demand.started(600)
    expect(demand.outgrown(9_999)).toBe(false)
    demand.started(100)
    expect([demand.outgrown(5_999), demand.outgrown(6_000)]).toEqual([false, true])
    expect(demand.tell(6_000).want).toBeCloseTo(700)
  })

  it('of an idle tenant is told with the first arrival', () => {
    const demand = new RateDemand(5_000, 0)
    expect(demand.outgrown(2_000)).toBe(false)
    demand.started(1)
    expect(demand.outgrown(2_000)).toBe(true)
  })
})

describe('the demand for slots', () => {
  it('is the most that was taken at once in this window and the last', () => {
    const demand = new SlotDemand(5_000, 0)
    for (const by of [3, -2, 1]) demand.moved(by)
    expect([demand.taken, demand.tell(5_000)]).toEqual([2, { want: 3, spare: 2, used: 3 }])
    expect([demand.tell(10_000).want, demand.tell(15_000).want]).toEqual([3, 2])
  })

  it('grows by what was asked for in vain, and doubles at most', () => {
    const demand = new SlotDemand(5_000, 0)
    demand.moved(4)
    demand.refused()
    expect(demand.tell(5_000).want).toBe(5)
    for (let i = 0; i < 100; i++) demand.refused()
    expect(demand.tell(10_000).want).toBe(9)
  })

  it('is told out of turn only where work was refused', () => {
    const demand = new SlotDemand(5_000, 0)
    demand.moved(4)
    expect(demand.outgrown(4_000)).toBe(false)
    demand.refused()
    expect([demand.outgrown(999), demand.outgrown(1_000)]).toEqual([false, true])
  })
})
