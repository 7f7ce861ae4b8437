import { type LeaseGrant, type LeaseGranted, type LeaseName, RATE_GRAINS } from '@weir/policy/model'
import { describe, expect, it } from 'vitest'
import { RateDemand, SlotDemand } from './demand.ts'
import { LeaseDesk } from './desk.ts'
import { Lease } from './held.ts'

const REFRESH_MS = 5_000
const SLOTS: LeaseName = { resource: 'checkout', tenant: 'acme', kind: 'slots' }
const RATE: LeaseName = { resource: 'checkout', tenant: 'acme', kind: 'rate' }

const rig = (random = 0.5) => {
  const desk = new LeaseDesk(REFRESH_MS, () => random)
  const rate = new RateDemand(REFRESH_MS, 0)
  const slots = new SlotDemand(REFRESH_MS, 0)
  const leases = { rate: new Lease(), slots: new Lease() }
  desk.add({ name: RATE, demand: rate, lease: leases.rate })
  desk.add({ name: SLOTS, demand: slots, lease: leases.slots })
  return { desk, rate, slots, leases }
}
const granted = (name: LeaseName, id: number, units: number, parts: Partial<LeaseGrant> = {}): LeaseGranted => ({
  ...name,
  grant: {
    epoch: 'e',
    quota: 1_000 * RATE_GRAINS,
    id,
    units,
    safe: 1,
    lengthMs: 20_000,
    waitMs: 45_000,
    deadMs: 600_000,
    refreshMs: 5_000,
    ...parts,
  },
})

describe('the desk of a process', () => {
  it('asks for all that is drawn on, rates in millionths, with what it holds and uses', () => {
    const { desk, rate, slots } = rig()
    rate.started(50)
    slots.moved(3)
    const { n, asked } = desk.ask(5_000)
    expect(asked).toEqual([
      { ...RATE, want: 10 * RATE_GRAINS, spare: 1.2 * RATE_GRAINS, used: 10 * RATE_GRAINS, inUse: 0, held: null },
      { ...SLOTS, want: 3, spare: 2, used: 3, inUse: 3, held: null },
    ])
    desk.take(n, [granted(SLOTS, 1, 7)], 5_100)
    expect(desk.ask(10_000).asked[1]?.held).toMatchObject({ epoch: 'e', id: 1, units: 7 })
  })

  it('is due at once, then after a refresh give or take a tenth, and as an answer says', () => {
    const { desk } = rig(0)
    expect(desk.isDue(0)).toBe(true)
    desk.take(desk.ask(0).n, [], 10)
    expect([desk.isDue(4_499), desk.isDue(4_500)]).toEqual([false, true])
    desk.take(desk.ask(4_500).n, [granted(SLOTS, 1, 7, { refreshMs: 1_000 })], 4_600)
    desk.take(desk.ask(9_000).n, [], 9_100)
    expect(desk.dueMs).toBe(9_900)
  })

  it('waits half a refresh longer for an answer, whatever is wanted meanwhile', () => {
    const { desk, slots } = rig()
    desk.ask(0)
    slots.refused()
    expect([desk.isDue(1_000), desk.isDue(7_499), desk.isDue(7_500)]).toEqual([false, false, true])
  })

  it('is due out of turn where a demand has outgrown what was told', () => {
    const { desk, slots } = rig()
    desk.take(desk.ask(0).n, [], 10)
    slots.refused()
    expect([desk.isDue(999), desk.isDue(1_000)]).toEqual([false, true])
  })

  it('counts a lease from its question, and says which leases are smaller now', () => {
    const { desk, leases } = rig()
    desk.take(desk.ask(0).n, [granted(SLOTS, 1, 7), granted(RATE, 1, 50)], 2_000)
    expect([leases.slots.usable(19_799), leases.slots.usable(19_800)]).toEqual([7, 1])
    const { n } = desk.ask(5_000)
    expect(desk.take(n, [granted(SLOTS, 2, 5), granted(RATE, 2, 60)], 5_010)).toEqual([
      { ...SLOTS, inUse: 0, held: expect.objectContaining({ id: 2, units: 5 }) },
    ])
  })

  it('takes an answer once, none of a former connection, and none to a question before the last', () => {
    const { desk, leases } = rig()
    const first = desk.ask(0).n
    desk.connected()
    desk.take(first, [granted(SLOTS, 1, 7)], 10)
    expect([leases.slots.usable(20), desk.isDue(20)]).toEqual([0, true])
    const old = desk.ask(20).n
    const last = desk.ask(30).n
    desk.take(old, [granted(SLOTS, 1, 7)], 40)
    expect(leases.slots.usable(50)).toBe(0)
    desk.take(last, [granted(SLOTS, 2, 6)], 60)
    desk.take(last, [granted(SLOTS, 3, 9)], 70)
    expect(leases.slots.usable(80)).toBe(6)
  })

  it('leaves alone what it does not draw on', () => {
    const { desk, leases } = rig()
    const { n } = desk.ask(0)
    desk.remove(SLOTS)
    expect(desk.take(n, [granted(SLOTS, 1, 7)], 10)).toEqual([])
    expect(leases.slots.usable(20)).toBe(0)
    expect(desk.ask(30).asked.map(({ kind }) => kind)).toEqual(['rate'])
  })
})
