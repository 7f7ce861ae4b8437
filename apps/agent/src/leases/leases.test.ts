import { DEFAULT_TENANTS, type Quota, RATE_GRAINS } from '@weir/policy/model'
import { WIRE } from '@weir/wire/model'
import { describe, expect, it } from 'vitest'
import { Leased } from './leased.ts'
import { Leases } from './leases.ts'

const REFRESH_MS = 2_000
const RATE: Quota = { rate: 100, burst: 100, concurrency: null, weight: 1 }
const BOTH: Quota = { ...RATE, concurrency: 4 }

const rig = () => {
  const leases = new Leases(REFRESH_MS, () => 0.5)
  const make = (tenant: string, quota = RATE) => {
    const bucket = { reshare: () => undefined, edit: () => undefined }
    const leased = new Leased('front', tenant, { bucket, concurrency: null, held: 0 }, leases)
    leased.obey(quota, DEFAULT_TENANTS, 0)
    return leased
  }
  return { leases, make }
}

describe('the leases of one process', () => {
  it('have room in the only question for as long as it is the only one, however long the names are', () => {
    const { leases, make } = rig()
    const nameOf = (n: number) => `${n} `.padEnd(256, '\u0001')
    let asked = 0
    for (; leases.hasRoomFor({ resource: 'front', tenant: nameOf(asked) }); asked++) leases.add(make(nameOf(asked)), 0)
    expect(asked).toBeGreaterThan(30)
    const questions = leases.ask(0)
    expect(questions).toMatchObject([{ whole: true }])
    expect(JSON.stringify(questions[0]).length).toBeLessThan(WIRE.maxAgentMessageBytes)
    leases.add(make(nameOf(asked)), 0)
    expect(leases.ask(REFRESH_MS).every(({ whole }) => !whole)).toBe(true)
  })

  it('leave nothing to one that loses its place: what is not named must not be used', () => {
    const { leases, make } = rig()
    const first = make('first')
    for (const leased of [first, make('second')]) leases.add(leased, 0)
    let last: Leased
    do {
      last = make(`tenant ${leases.all.length}`, BOTH)
      leases.add(last, 0)
    } while (last.isDrawn)
    const { n } = leases.ask(0)[0] ?? { n: 0 }
    const terms = { lengthMs: 8_000, safe: RATE_GRAINS, waitMs: 18_000, deadMs: 600_000, refreshMs: REFRESH_MS }
    const grant = { epoch: 'e', id: 1, quota: 100 * RATE_GRAINS, units: 7 * RATE_GRAINS, ...terms }
    leases.take(n, [{ resource: 'front', tenant: first.tenant, kind: 'rate', grant }], 10)
    expect(first.status(10)).toMatchObject([{ usable: 7, leased: true }])
    first.obey(BOTH, DEFAULT_TENANTS, 20)
    leases.add(first, 20)
    expect(first.isDrawn).toBe(false)
    expect(first.status(20)).toMatchObject([{ usable: 0, leased: false }, { usable: 0 }])
  })
})
