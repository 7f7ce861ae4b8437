import { describe, expect, it } from 'vitest'
import { acquireMany, admitted, fail, opened, policy, succeed } from './breaker.testkit.ts'
import { Breaker } from './breaker.ts'

describe('half-open', () => {
  it('B-01 B-15 B-28 exactly N of 1,000 callers at the very instant get through', () => {
    expect(acquireMany(opened(), 1_000, 10)).toHaveLength(1)
    expect(acquireMany(opened({ probes: 3 }), 1_000, 1_000)).toHaveLength(3)
  })

  it('B-01 a failed probe opens again and restarts the wait', () => {
    const breaker = opened()
    breaker.failure(admitted(breaker, 1_000), 1_200, 200)
    expect(breaker.retryAfterMs(1_200)).toBe(1_000)
    expect(breaker.tryAcquire(2_199)).toBeNull()
    expect(breaker.tryAcquire(2_200)).not.toBeNull()
  })

  it('B-04 a hundred cycles of failing and recovering are all alike', () => {
    const breaker = new Breaker(policy(), 0)
    let now = 0
    for (let cycle = 1; cycle <= 100; cycle++) {
      fail(breaker, now)
      fail(breaker, now)
      expect(breaker.view(now)).toBe('open')
      now += 1_000
      fail(breaker, now)
      expect(breaker.view(now)).toBe('open')
      now += 1_000
      succeed(breaker, now)
      expect(breaker.view(now)).toBe('closed')
    }
    expect(breaker.opened).toBe(200)
  })

  it('B-13 an ignored probe gives its place back', () => {
    const breaker = opened()
    breaker.neutral(admitted(breaker, 1_000))
    expect(breaker.view(1_000)).toBe('half-open')
    succeed(breaker, 1_001)
    expect(breaker.view(1_001)).toBe('closed')
  })

  it('B-16 B-24 a row of ignored probes stays half-open: no flapping', () => {
    const breaker = opened({ probeLeaseMs: 5_000 })
    for (let i = 0; i < 100; i++) breaker.neutral(admitted(breaker, 1_000 + i))
    expect(breaker.view(1_100)).toBe('half-open')
    expect(breaker.opened).toBe(1)
  })

  it('without a verdict for as long as lease x probes it opens again, and one wait later it probes again', () => {
    const breaker = opened()
    breaker.neutral(admitted(breaker, 1_000))
    expect(breaker.tryAcquire(1_500)).toBeNull()
    expect(breaker.view(1_600)).toBe('open')
    expect(breaker.tryAcquire(2_500)).not.toBeNull()
  })

  it('a quiet caller whose probe taught nothing is not refused an hour later', () => {
    const breaker = opened()
    breaker.neutral(admitted(breaker, 1_000))
    expect(breaker.tryAcquire(3_600_000)).not.toBeNull()
  })

  it('B-14 B-23 O-13 a probe that never answers fails when its lease ends; the others are refused with the time left', () => {
    const breaker = opened()
    admitted(breaker, 1_000)
    expect(acquireMany(breaker, 1_100, 1_000)).toHaveLength(0)
    expect(breaker.retryAfterMs(1_100)).toBe(400)
    expect(breaker.tryAcquire(1_500)).toBeNull()
    expect(breaker.view(1_500)).toBe('open')
    expect(breaker.retryAfterMs(1_500)).toBe(1_000)
    expect(breaker.tryAcquire(2_500)).not.toBeNull()
  })

  it('B-14 an hour of silence costs nobody another wait', () => {
    const breaker = opened()
    admitted(breaker, 1_000)
    expect(breaker.tryAcquire(3_600_000)).not.toBeNull()
    expect(breaker.opened).toBe(2)
  })

  it('a probe that answers after its lease is stale', () => {
    const breaker = opened({ probes: 2 })
    const slow = admitted(breaker, 1_000)
    const other = admitted(breaker, 1_400)
    expect(breaker.tryAcquire(1_600)).toBeNull()
    breaker.success(slow, 1_650, 650)
    expect(breaker.stale).toBe(1)
    breaker.success(other, 1_700, 300)
    expect(breaker.view(1_700)).toBe('open')
  })

  it('B-17c one place is taken per call, and given back once', () => {
    const breaker = opened({ probes: 2 })
    const ticket = admitted(breaker, 1_000)
    breaker.neutral(ticket)
    breaker.neutral(ticket)
    expect(acquireMany(breaker, 1_000, 10)).toHaveLength(2)
  })

  it('B-34b probes are judged by the same shares as calls: a slow success opens again', () => {
    const breaker = opened({ slowCallMs: 100, slowShare: 0.5 })
    breaker.success(admitted(breaker, 1_000), 1_300, 300)
    expect(breaker.view(1_300)).toBe('open')
  })
})

describe('generations', () => {
  it('O-01 a slow call of the closed time that succeeds later closes nothing', () => {
    const breaker = new Breaker(policy(), 0)
    const slow = admitted(breaker, 0)
    fail(breaker, 0)
    fail(breaker, 0)
    admitted(breaker, 1_000)
    breaker.success(slow, 1_100, 1_100)
    expect(breaker.view(1_100)).toBe('half-open')
    expect(breaker.stale).toBe(1)
  })

  it('O-10 nor does its failure open again what is probing', () => {
    const breaker = new Breaker(policy(), 0)
    const slow = admitted(breaker, 0)
    fail(breaker, 0)
    fail(breaker, 0)
    const probe = admitted(breaker, 1_000)
    breaker.failure(slow, 1_100, 1_100)
    breaker.success(probe, 1_200, 200)
    expect(breaker.view(1_200)).toBe('closed')
  })

  it('B-19a a hundred in flight at the flip, half of them ending later, keep it from nothing', () => {
    const breaker = new Breaker(policy(), 0)
    const tickets = acquireMany(breaker, 0, 100)
    for (const ticket of tickets.slice(0, 50)) breaker.failure(ticket, 10, 10)
    const probe = admitted(breaker, 1_010)
    for (const ticket of tickets.slice(50)) breaker.failure(ticket, 1_020, 1_020)
    breaker.success(probe, 1_030, 20)
    expect(breaker.view(1_030)).toBe('closed')
  })

  it('B-25 a result of generation 1 in generation 3 is dropped and counted', () => {
    const breaker = new Breaker(policy(), 0)
    const first = admitted(breaker, 0)
    fail(breaker, 0)
    fail(breaker, 0)
    succeed(breaker, 1_000)
    breaker.failure(first, 1_001, 1_001)
    fail(breaker, 1_002)
    expect(breaker.view(1_002)).toBe('closed')
    expect(breaker.stale).toBe(1)
  })
})

describe('edits', () => {
  it('keep the state and what the window holds', () => {
    const breaker = new Breaker(policy({ minimumVolume: 3 }), 0)
    fail(breaker, 0)
    fail(breaker, 0)
    breaker.apply(policy({ minimumVolume: 3, windowMs: 60_000 }), 10)
    fail(breaker, 20)
    expect(breaker.view(20)).toBe('open')
    breaker.apply(policy({ openMs: 5_000 }), 30)
    expect(breaker.view(1_020)).toBe('open')
    expect(breaker.view(5_020)).toBe('half-open')
  })

  it('forced-closed closes an open one; forced-open refuses until it is lifted', () => {
    const breaker = opened()
    breaker.apply(policy({ mode: 'forced-closed' }), 10)
    expect(breaker.tryAcquire(10)).not.toBeNull()
    breaker.apply(policy({ mode: 'forced-open' }), 20)
    expect(breaker.tryAcquire(20)).toBeNull()
    breaker.apply(policy(), 30)
    expect(breaker.tryAcquire(30)).not.toBeNull()
  })
})
