import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acquireMany, admitted, fail, opened, policy, succeed } from './breaker.testkit.ts'
import { Breaker, type Ticket } from './breaker.ts'

describe('opening', () => {
  it('B-05 stays closed under the minimum volume', () => {
    const breaker = new Breaker(policy({ minimumVolume: 20 }), 0)
    for (let i = 0; i < 19; i++) fail(breaker, 0)
    expect(breaker.view(0)).toBe('closed')
    fail(breaker, 0)
    expect(breaker.view(0)).toBe('open')
  })

  it('B-17e O-07 opens at the threshold: 1 of 2 at 50 %, and 2 of 3', () => {
    const half = new Breaker(policy(), 0)
    succeed(half, 0)
    fail(half, 0)
    expect(half.view(0)).toBe('open')
    const more = new Breaker(policy({ minimumVolume: 3 }), 0)
    succeed(more, 0)
    fail(more, 0)
    fail(more, 0)
    expect(more.view(0)).toBe('open')
  })

  it('O-07 running calls are in no denominator', () => {
    const breaker = new Breaker(policy(), 0)
    acquireMany(breaker, 0, 100)
    fail(breaker, 0)
    fail(breaker, 0)
    expect(breaker.view(0)).toBe('open')
  })

  it('B-33 failures decay: one a day never opens', () => {
    const breaker = new Breaker(policy({ minimumVolume: 5 }), 0)
    for (let day = 0; day < 365; day++) fail(breaker, day * 86_400_000)
    expect(breaker.view(365 * 86_400_000)).toBe('closed')
  })

  it('O-11 what happened an hour ago counts for nothing', () => {
    const breaker = new Breaker(policy({ minimumVolume: 50 }), 0)
    for (let i = 0; i < 40; i++) fail(breaker, 0)
    for (let i = 0; i < 10; i++) succeed(breaker, 3_600_000)
    fail(breaker, 3_600_000)
    expect(breaker.view(3_600_000)).toBe('closed')
  })

  it('B-26 five calls in flight that all fail open it once', () => {
    const breaker = new Breaker(policy(), 0)
    const tickets = acquireMany(breaker, 0, 5)
    for (const ticket of tickets) breaker.failure(ticket, 10, 10)
    expect(breaker.opened).toBe(1)
    expect(breaker.stale).toBe(3)
  })

  it('B-30b B-17f neutral ends are in no figure, however many', () => {
    const breaker = new Breaker(policy(), 0)
    for (let i = 0; i < 1_000; i++) breaker.neutral(admitted(breaker, 0))
    fail(breaker, 0)
    expect(breaker.view(0)).toBe('closed')
    fail(breaker, 0)
    expect(breaker.view(0)).toBe('open')
  })

  it('B-31 one failed call is one failure and no success', () => {
    const breaker = new Breaker(policy({ minimumVolume: 2, failureShare: 1 }), 0)
    fail(breaker, 0)
    expect(breaker.view(0)).toBe('closed')
    fail(breaker, 0)
    expect(breaker.view(0)).toBe('open')
  })

  it('a call that its caller cut short before the typical duration teaches nothing, a longer one is a failure', () => {
    const breaker = new Breaker(policy({ minimumVolume: 10, failureShare: 0.5 }), 0)
    for (let i = 0; i < 10; i++) breaker.success(admitted(breaker, 0), 0, 40)
    for (let i = 0; i < 100; i++) breaker.cutShort(admitted(breaker, 0), 0, 5)
    expect(breaker.view(0)).toBe('closed')
    for (let i = 0; i < 10; i++) breaker.cutShort(admitted(breaker, 0), 0, 50)
    expect(breaker.view(0)).toBe('open')
  })
})

describe('open', () => {
  it('B-32 B-25 late failures do not move the end of the wait', () => {
    const breaker = new Breaker(policy(), 0)
    const late = acquireMany(breaker, 0, 50)
    fail(breaker, 0)
    fail(breaker, 0)
    for (const [i, ticket] of late.entries()) breaker.failure(ticket, i * 20, 1)
    expect(breaker.retryAfterMs(400)).toBe(600)
    expect(breaker.tryAcquire(999)).toBeNull()
    expect(breaker.tryAcquire(1_000)).not.toBeNull()
    expect(breaker.stale).toBe(50)
  })

  it('B-17a a wait of 0 needs no recursion', () => {
    const breaker = new Breaker({ ...policy(), openMs: 0 }, 0)
    for (let i = 0; i < 10_000; i++) fail(breaker, i)
    expect(breaker.opened).toBeGreaterThan(100)
  })

  it('B-76a a clock that steps back never opens the gate early', () => {
    const breaker = opened()
    expect(breaker.tryAcquire(-3_600_000)).toBeNull()
    expect(breaker.tryAcquire(999)).toBeNull()
    expect(breaker.tryAcquire(1_000)).not.toBeNull()
  })
})

describe('whatever happens', () => {
  const step = fc.record({
    act: fc.constantFrom('acquire', 'success', 'failure', 'neutral', 'cutShort'),
    waitMs: fc.constantFrom(0, 1, 50, 499, 500, 1_000, 5_000),
    pick: fc.nat(20),
  })

  it('B-19b at most N probes are out, an open breaker ends its wait, and the generation never goes back', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 3 }), (steps, probes) => {
        const breaker = new Breaker(policy({ probes }), 0)
        const held: { ticket: Ticket; endsAt: number }[] = []
        let now = 0
        let generation = 0
        for (const { act, waitMs, pick } of steps) {
          now += waitMs
          if (act === 'acquire') {
            const ticket = breaker.tryAcquire(now)
            if (ticket) held.push({ ticket, endsAt: now + 500 })
            if (ticket) expect(ticket.generation).toBeGreaterThanOrEqual(generation)
            generation = ticket?.generation ?? generation
          } else if (held.length > 0) {
            const [one] = held.splice(pick % held.length, 1)
            if (one && act === 'neutral') breaker.neutral(one.ticket)
            else if (one) breaker[act as 'success' | 'failure' | 'cutShort'](one.ticket, now, 1)
          }
          const out = held.filter(
            ({ ticket, endsAt }) => ticket.probe && ticket.generation === generation && endsAt > now,
          )
          expect(out.length).toBeLessThanOrEqual(probes)
          if (breaker.view(now) === 'open') expect(breaker.retryAfterMs(now)).toBeGreaterThan(0)
        }
        expect(breaker.tryAcquire(now + 1_000_000)).not.toBeNull()
      }),
    )
  })
})
