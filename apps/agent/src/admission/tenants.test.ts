import { DEFAULT_TENANTS, SOLE } from '@weir/policy/model'
import { describe, expect, it } from 'vitest'
import { bench, gatePolicy, permitOf, quota, said, settings } from './gate.testkit.ts'
import type { Gate, GateSettings } from './gate.ts'

const of = (parts: Partial<GateSettings>): GateSettings => settings(gatePolicy({ limit: 1_000 }), parts)

/** How many of `asks` are accepted, each ending before the next. */
const pass = (gate: Gate, tenant: string, asks = 200): number => {
  let passed = 0
  for (let i = 0; i < asks; i++) {
    const entry = gate.tryAcquire({ tenant })
    if (!entry.accepted) continue
    entry.success()
    passed++
  }
  return passed
}

describe('tenants', () => {
  it('each has its own rate; a burst of one does not touch the others', () => {
    const quotas = { a: quota({ rate: 10, burst: 10 }), b: quota({ rate: 5, burst: 5 }) }
    const { gate, runtime } = bench(of({ quotas }))
    runtime.time.advance(1_000)
    expect([pass(gate, 'a'), pass(gate, 'b'), pass(gate, 'c')]).toEqual([10, 5, 200])
    expect(gate.tryAcquire({ tenant: 'a' })).toMatchObject({ reason: 'tenant-rate', signal: 'later' })
  })

  it('a first request finds what the share has earned since the quota is known, and no more', () => {
    const { gate, runtime } = bench(
      of({ quotas: { a: quota({ rate: 10, burst: 10 }), b: quota({ rate: 10, burst: 10 }) } }),
    )
    expect(pass(gate, 'a')).toBe(0)
    runtime.time.advance(500)
    expect([pass(gate, 'a'), pass(gate, 'b')]).toEqual([5, 5])
  })

  it('a limit that comes to be starts empty for all, seen or not', () => {
    const { gate, runtime } = bench(of({}))
    runtime.time.advance(60_000)
    pass(gate, 'seen')
    const limited = quota({ rate: 10, burst: 10 })
    gate.apply(of({ quotas: { seen: limited, unseen: limited } }))
    expect([pass(gate, 'seen'), pass(gate, 'unseen')]).toEqual([0, 0])
    runtime.time.advance(300)
    expect([pass(gate, 'seen'), pass(gate, 'unseen')]).toEqual([3, 3])
  })

  it('agents split a quota evenly: all shares together pass at most the quota', () => {
    const shared = quota({ rate: 100, burst: 100, concurrency: 7 })
    const gates = [0, 1, 2].map((rank) => bench(of({ quotas: { a: shared }, split: { agents: 3, rank } })))
    for (const { runtime } of gates) runtime.time.advance(1_000)
    const held = gates.map(({ gate }) => Array.from({ length: 20 }, () => gate.tryAcquire({ tenant: 'a' })))
    expect(held.flat().filter((entry) => entry.accepted)).toHaveLength(7)
    for (const entry of held.flat()) if (entry.accepted) entry.success()
    const passed = gates.map(({ gate }) => pass(gate, 'a')).reduce((a, b) => a + b)
    expect(passed + 7).toBeLessThanOrEqual(100)
    expect(passed + 7).toBeGreaterThanOrEqual(97)
  })

  it('fewer agents give the others more rate and no tokens, seen or not', () => {
    const quotas = { seen: quota({ rate: 100, burst: 100 }), unseen: quota({ rate: 100, burst: 100 }) }
    const { gate, runtime } = bench(of({ quotas, split: { agents: 10, rank: 0 } }))
    runtime.time.advance(60_000)
    pass(gate, 'seen', 4)
    gate.apply(of({ quotas: { ...quotas }, split: SOLE }))
    expect([pass(gate, 'seen'), pass(gate, 'unseen')]).toEqual([6, 10])
    runtime.time.advance(100)
    expect([pass(gate, 'seen'), pass(gate, 'unseen')]).toEqual([10, 10])
  })

  it('more agents take rate and burst away at once', () => {
    const quotas = { a: quota({ rate: 100, burst: 100 }) }
    const { gate, runtime } = bench(of({ quotas }))
    runtime.time.advance(60_000)
    pass(gate, 'a', 1)
    gate.apply(of({ quotas, split: { agents: 10, rank: 0 } }))
    expect(pass(gate, 'a')).toBe(10)
  })

  it('an edit of the quota keeps what was used, and a raise helps at once', () => {
    const { gate, runtime } = bench(of({ quotas: { a: quota({ rate: 1, burst: 10, concurrency: 1 }) } }))
    runtime.time.advance(60_000)
    expect(pass(gate, 'a')).toBe(10)
    gate.apply(of({ quotas: { a: quota({ rate: 1, burst: 25, concurrency: 3 }) } }))
    const entries = Array.from({ length: 4 }, () => gate.tryAcquire({ tenant: 'a' }))
    expect(entries.map(said)).toEqual(['accepted', 'accepted', 'accepted', 'tenant-concurrency'])
    for (const entry of entries) if (entry.accepted) entry.success()
    expect(pass(gate, 'a')).toBe(12)
    gate.apply(of({ quotas: { a: quota({ rate: 0 }) } }))
    runtime.time.advance(60_000)
    expect(pass(gate, 'a')).toBe(0)
    gate.apply(of({}))
    expect(pass(gate, 'a')).toBe(200)
  })

  it.each([
    [quota({ rate: 0 }), 'tenant-rate'],
    [quota({ rate: 10, burst: 0 }), 'tenant-rate'],
    [quota({ concurrency: 0 }), 'tenant-concurrency'],
  ])('0 means nothing: %j', (zero, reason) => {
    const { gate, runtime } = bench(of({ quotas: { a: zero } }))
    runtime.time.advance(3_600_000)
    expect(said(gate.tryAcquire({ tenant: 'a' }))).toBe(reason)
  })

  it('costs draw that many units, bad ones draw one', () => {
    const { gate, runtime } = bench(of({ quotas: { a: quota({ rate: 10, burst: 10 }) } }))
    const left = (cost: number): number => {
      runtime.time.advance(60_000)
      permitOf(gate.tryAcquire({ tenant: 'a', cost })).success()
      return pass(gate, 'a')
    }
    expect([3, 0, -1, Number.NaN, 0.5].map(left)).toEqual([7, 10, 9, 9, 9])
    expect(left(Number.POSITIVE_INFINITY)).toBe(0)
  })

  it('refused work uses nothing', () => {
    const { gate, runtime } = bench(
      settings(gatePolicy({ limit: 1 }), { quotas: { a: quota({ rate: 10, burst: 10 }) } }),
    )
    runtime.time.advance(1_000)
    const holder = permitOf(gate.tryAcquire({}))
    for (let i = 0; i < 50; i++) gate.tryAcquire({ tenant: 'a' })
    gate.tryAcquire({ tenant: 'a', deadlineMs: 0 })
    holder.success()
    expect(pass(gate, 'a')).toBe(10)
  })

  it('unknown tenants pass with the default quota each, or are refused and get no account', () => {
    const tenants = { ...DEFAULT_TENANTS, default: quota({ rate: 2, burst: 2 }) } as const
    const { gate, runtime, figures } = bench(of({ tenants, quotas: { a: quota({}) } }))
    runtime.time.advance(1_000)
    expect([pass(gate, 'x'), pass(gate, 'y'), pass(gate, ''), pass(gate, 'a')]).toEqual([2, 2, 2, 200])
    gate.apply(of({ tenants: { ...tenants, unknown: 'refuse' }, quotas: { a: quota({}) } }))
    for (let i = 0; i < 1_000; i++)
      expect(gate.tryAcquire({ tenant: `u${i}` })).toMatchObject({ reason: 'unknown-tenant', signal: 'stop' })
    expect([pass(gate, 'x'), pass(gate, ''), pass(gate, 'a')]).toEqual([0, 0, 200])
    expect(gate.trackedTenants).toBe(3)
    expect(figures().sum('shed', { reason: 'unknown-tenant', tenant: 'other' })).toBe(1_400)
  })

  it('B-79b B-80 tracks a bounded number: idle ones make room, else newcomers share one account', () => {
    const tenants = { ...DEFAULT_TENANTS, default: quota({ rate: 1, burst: 1 }) } as const
    const { gate, runtime, figures } = bench(of({ tenants, quotas: { listed: quota({}) } }), { maxTenants: 100 })
    runtime.time.advance(1_000)
    for (let i = 0; i < 100; i++) expect(pass(gate, `t${i}`, 1)).toBe(1)
    expect(['n1', 'n2', 'n3'].map((name) => pass(gate, name, 1))).toEqual([1, 0, 0])
    expect(pass(gate, 'listed')).toBe(200)
    expect(gate.trackedTenants).toBe(101)
    figures()
    expect(pass(gate, 'n4', 1)).toBe(0)
    runtime.time.advance(1_000)
    figures()
    expect([pass(gate, 'n5', 5), pass(gate, 'n6', 5), gate.trackedTenants]).toEqual([1, 1, 101])
  })

  it('a tenant with work running is not forgotten', () => {
    const tenants = { ...DEFAULT_TENANTS, default: quota({ concurrency: 1 }) } as const
    const { gate, figures } = bench(of({ tenants }), { maxTenants: 1 })
    const permit = permitOf(gate.tryAcquire({ tenant: 'a' }))
    figures()
    figures()
    expect([said(gate.tryAcquire({ tenant: 'b' })), said(gate.tryAcquire({ tenant: 'c' }))]).toEqual([
      'accepted',
      'tenant-concurrency',
    ])
    permit.success()
    expect(figures().sum('completed', { tenant: 'a' })).toBe(1)
  })

  it('nor is one whose work only observing let in', () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1, mode: 'observe' })), { maxTenants: 1 })
    gate.tryAcquire({})
    gate.tryAcquire({ tenant: 'a' })
    figures()
    figures()
    gate.tryAcquire({ tenant: 'b' })
    expect([figures().sum('offered', { tenant: 'b' }), figures().sum('offered', { tenant: 'other' })]).toEqual([0, 1])
  })

  it('one id in two spellings is one tenant', () => {
    const { gate } = bench(of({ quotas: { 'caf\u00e9': quota({ concurrency: 1 }) } }))
    expect(said(gate.tryAcquire({ tenant: 'cafe\u0301' }))).toBe('accepted')
    expect(said(gate.tryAcquire({ tenant: 'caf\u00e9' }))).toBe('tenant-concurrency')
  })
})
