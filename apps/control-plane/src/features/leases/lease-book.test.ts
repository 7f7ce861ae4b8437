import {
  type HeldLease,
  type LeaseAsked,
  type LeaseGrant,
  type LeaseName,
  type Quota,
  type Quotas,
  RATE_GRAINS,
} from '@weir/policy/model'
import { describe, expect, it } from 'vitest'
import { LeaseBook } from './lease-book.ts'
import { leaseTiming } from './timing.ts'

const TIMING = leaseTiming(1_000, 60_000)
const quota = (parts: Partial<Quota>): Quota => ({ rate: null, burst: null, concurrency: null, weight: 1, ...parts })
const RATE: LeaseName = { resource: 'checkout', tenant: 'acme', kind: 'rate' }
const SLOTS: LeaseName = { resource: 'checkout', tenant: 'acme', kind: 'slots' }
const quotas = (acme: Partial<Quota>): Quotas => ({ checkout: { acme: quota(acme), free: quota({}) } })

const open = (given: Quotas, before?: { agents: string[]; quotas: Quotas }) =>
  new LeaseBook(
    {
      epoch: 'second',
      timing: TIMING,
      random: () => 0,
      ...(before ? { before: { ...before, agents: new Set(before.agents) } } : {}),
    },
    given,
    0,
  )
const asks = (name: LeaseName, want: number, held: HeldLease | null = null): LeaseAsked => ({
  ...name,
  want,
  spare: 0,
  used: 0,
  inUse: 0,
  held,
})
const former = (units: number, safe: number): HeldLease => ({
  epoch: 'first',
  id: 3,
  units,
  safe,
  expiresInMs: 3_000,
  stepInMs: 8_000,
  deadInMs: 50_000,
})
const heldOf = (grant: LeaseGrant): HeldLease => ({
  ...former(grant.units, grant.safe),
  epoch: grant.epoch,
  id: grant.id,
})

describe('a book of leases', () => {
  it('answers all that is asked at once, rates in millionths, and leaves out what is no quota', () => {
    const book = open(quotas({ rate: 10, concurrency: 4 }))
    const unknown: LeaseName = { ...RATE, tenant: 'free' }
    const granted = book.ask('a', [asks(RATE, 3 * RATE_GRAINS), asks(SLOTS, 2), asks(unknown, 5)], 0, 0)
    expect(granted.map(({ kind, grant }) => [kind, grant.units])).toEqual([
      ['rate', 3 * RATE_GRAINS],
      ['slots', 2],
    ])
  })

  it('follows what is published: a changed quota, a new one, one that is gone', () => {
    const book = open(quotas({ rate: 10 }))
    book.ask('a', [asks(RATE, 1e9)], 0, 0)
    book.publish(quotas({ rate: 20, concurrency: 3 }), 10)
    expect(book.ledger(RATE)?.capacity).toBe(20 * RATE_GRAINS)
    expect(book.ledger(SLOTS)?.capacity).toBe(3)
    book.publish({}, 20)
    expect([book.ledger(RATE), book.ask('a', [asks(RATE, 1)], 30, 0)]).toEqual([null, []])
  })

  it('keeps what is leased of a quota that is gone and comes back, until nobody can hold it', () => {
    const book = open(quotas({ concurrency: 10 }))
    book.ask('a', [asks(SLOTS, 10)], 0, 0)
    book.publish({}, 10)
    book.publish(quotas({ concurrency: 10 }), 20)
    expect(book.ask('b', [asks(SLOTS, 10)], 30, 0)[0]?.grant.units).toBe(0)
    book.publish({}, 40)
    book.sweep(1_000)
    expect(book.size).toBe(1)
    book.sweep(TIMING.presumedDeadMs + 2_000)
    expect(book.size).toBe(0)
  })

  it('takes back all of an agent that ends, and what it says that it obeys', () => {
    const book = open(quotas({ concurrency: 100, rate: 1 }))
    const [first] = book.ask('a', [asks(SLOTS, 100)], 0, 0)
    expect(first?.grant.units).toBe(98)
    const [less] = book.ask('a', [asks(SLOTS, 10, heldOf(first!.grant))], 10, 0)
    expect(book.ask('b', [asks(SLOTS, 90)], 20, 0)[0]?.grant.units).toBeLessThan(3)
    book.obeyed('a', [{ ...SLOTS, held: heldOf(less!.grant), inUse: 0 }], 30)
    expect(book.ask('b', [asks(SLOTS, 90)], 40, 0)[0]?.grant.units).toBe(88)
    book.release('a', 50)
    expect(book.ask('b', [asks(SLOTS, 95)], 60, 0)[0]?.grant.units).toBe(95)
  })

  it('learns of each agent of before once, all its leases together', () => {
    const before = { agents: ['a', 'b'], quotas: quotas({ concurrency: 100, rate: 10 }) }
    const book = open(quotas({ concurrency: 100, rate: 10 }), before)
    expect(book.ask('a', [asks(SLOTS, 90, former(60, 50))], 10, 0)).toEqual([])
    expect(book.ask('c', [asks(SLOTS, 5), asks(RATE, 5)], 20, 0).map(({ grant }) => grant.units)).toEqual([0, 0])
    // Neither holds a rate: that is known as soon as both were heard.
    book.ask('b', [asks(SLOTS, 0, former(40, 50))], 30, 0)
    expect(book.ask('c', [asks(RATE, 5)], 40, 0)[0]?.grant.units).toBe(5)
  })

  it('takes nothing for given back that one question of several does not name', () => {
    const before = { agents: ['a'], quotas: quotas({ concurrency: 100, rate: 10 }) }
    const book = open(quotas({ concurrency: 100, rate: 10 }), before)
    book.ask('a', [asks(SLOTS, 90, former(60, 50))], 10, 0, false)
    expect(book.ask('c', [asks(RATE, 5)], 20, 0)[0]?.grant.units).toBe(0)
    book.ask('a', [asks(SLOTS, 90, former(60, 50))], 30, 0, true)
    expect(book.ask('c', [asks(RATE, 5)], 40, 0)[0]?.grant.units).toBe(5)
  })

  it('counts what agents of before may hold of a quota that was gone and comes back, until they are heard or count as dead', () => {
    const before = { agents: ['a'], quotas: quotas({ concurrency: 100 }) }
    const again = (atMs: number, heard: boolean) => {
      const book = open({}, before)
      if (heard) book.ask('a', [], 10, 0)
      book.publish(quotas({ concurrency: 100 }), atMs)
      return book.ask('b', [asks(SLOTS, 50)], atMs, 0)[0]?.grant.units
    }
    expect([again(20, false), again(20, true), again(TIMING.presumedDeadMs, false)]).toEqual([0, 50, 50])
  })

  it('is over once all that were before count as dead, though they were never heard', () => {
    const book = open({}, { agents: ['a'], quotas: {} })
    expect([book.isOver(TIMING.presumedDeadMs - 1), book.isOver(TIMING.presumedDeadMs)]).toEqual([false, true])
  })

  it('counts what was leased under a larger quota before', () => {
    const before = { agents: ['a', 'b'], quotas: quotas({ concurrency: 100 }) }
    const book = open(quotas({ concurrency: 10 }), before)
    book.ask('a', [asks(SLOTS, 10, former(40, 50))], 10, 0)
    expect(book.ledger(SLOTS)?.figures(20)).toMatchObject({ capacity: 10, outstanding: 100 })
  })
})
