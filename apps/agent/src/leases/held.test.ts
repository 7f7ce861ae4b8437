import type { LeaseGrant } from '@weir/policy/model'
import { describe, expect, it } from 'vitest'
import { Lease } from './held.ts'

const grant = (parts: Partial<LeaseGrant> = {}): LeaseGrant => ({
  epoch: 'first',
  quota: 100,
  id: 1,
  units: 100,
  safe: 30,
  lengthMs: 10_000,
  waitMs: 20_000,
  deadMs: 60_000,
  refreshMs: 2_500,
  ...parts,
})

describe('a lease that is not renewed', () => {
  it.each([
    ['is used until it expires, counted from the question', 10_899, 100],
    ['then at once falls to the safe capacity', 10_900, 30],
    ['may use that until it counts as dead', 60_399, 30],
    ['then uses nothing', 60_400, 0],
  ])('%s', (_, atMs, units) => {
    const lease = new Lease()
    lease.take(grant(), 1_000, 1_500)
    expect(lease.usable(atMs)).toBe(units)
  })

  it('that was smaller than the safe capacity stays so until others have shrunk, counted from the answer', () => {
    const lease = new Lease()
    lease.take(grant({ units: 5 }), 1_000, 1_500)
    expect([10_900, 21_699, 21_700].map((atMs) => lease.usable(atMs))).toEqual([5, 5, 30])
  })
})

describe('a lease', () => {
  it('lets nothing pass before there is one, and none after it was given back', () => {
    const lease = new Lease()
    expect([lease.usable(0), lease.told(0)]).toEqual([0, null])
    lease.take(grant(), 0, 0)
    lease.drop()
    expect([lease.usable(0), lease.told(0)]).toEqual([0, null])
  })

  it('says when there is less to use, also where the former had ended', () => {
    const lease = new Lease()
    expect(lease.take(grant(), 0, 0)).toBe(false)
    expect(lease.take(grant({ id: 2, units: 99 }), 1_000, 1_000)).toBe(true)
    expect(lease.take(grant({ id: 3, units: 99 }), 2_000, 2_000)).toBe(false)
    expect(lease.take(grant({ id: 4, units: 40 }), 13_000, 13_000)).toBe(false)
  })

  it('is not taken back by an answer that comes late; another ledger numbers anew', () => {
    const lease = new Lease()
    lease.take(grant({ id: 5 }), 0, 0)
    lease.take(grant({ id: 4, units: 1 }), 0, 10)
    expect(lease.usable(20)).toBe(100)
    lease.take(grant({ id: 1, epoch: 'second', units: 2 }), 0, 20)
    expect(lease.usable(20)).toBe(2)
  })

  it('tells what it holds in time that is left, and nothing once it is dead', () => {
    const lease = new Lease()
    lease.take(grant(), 0, 100)
    expect(lease.told(1_000)).toEqual({
      epoch: 'first',
      id: 1,
      units: 100,
      safe: 30,
      expiresInMs: 8_900,
      stepInMs: 19_300,
      deadInMs: 58_400,
    })
    expect(lease.told(15_000)).toMatchObject({ expiresInMs: 0, stepInMs: 5_300 })
    expect(lease.told(59_400)).toBeNull()
  })
})
