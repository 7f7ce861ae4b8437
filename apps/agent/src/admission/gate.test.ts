import { DEFAULT_TENANTS } from '@weir/policy/model'
import { settled } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { bench, gatePolicy, permitOf, quota, said, settings } from './gate.testkit.ts'
import type { Gate, Work } from './gate.ts'

const accepted = (gate: Gate, count: number, work: Work = {}): number =>
  Array.from({ length: count }, () => gate.tryAcquire(work)).filter((entry) => entry.accepted).length

describe('a gate', () => {
  it('B-37a of 11 that ask for 10 slots the last is refused', () => {
    const { gate } = bench(settings(gatePolicy({ limit: 10 })))
    expect(accepted(gate, 10)).toBe(10)
    expect(said(gate.tryAcquire({}))).toBe('limit-reached')
  })

  it('B-37b tenants together never pass the limit', () => {
    const { gate } = bench(settings(gatePolicy({ limit: 10 })))
    accepted(gate, 9, { tenant: 'z' })
    expect(['a', 'b', 'c'].map((tenant) => said(gate.tryAcquire({ tenant })))).toEqual([
      'accepted',
      'limit-reached',
      'limit-reached',
    ])
  })

  it('B-56a never sheds while a slot is free', () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1 })))
    for (let i = 0; i < 1_000; i++) permitOf(gate.tryAcquire({})).success()
  })

  it('B-46 B-48 a permit ends once: a second ending is counted and frees nothing', () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1 })))
    const permit = permitOf(gate.tryAcquire({}))
    permit.success()
    const other = permitOf(gate.tryAcquire({}))
    permit.failure()
    permit.dropped()
    permit.cancel()
    expect(gate.report()).toMatchObject({ active: 1, zombies: 0 })
    expect(gate.mishaps.endedTwice).toBe(2)
    other.ignored()
    expect(gate.report()).toMatchObject({ active: 0, zombies: 0 })
    expect([figures().sum('completed'), figures().sum('failed'), figures().sum('ignored')]).toEqual([2, 0, 1])
  })

  it('B-49a a limit that changes while slots are held counts them once', () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1 })))
    const permit = permitOf(gate.tryAcquire({}))
    gate.apply(settings(gatePolicy({ limit: 5 })))
    permit.success()
    expect(gate.report()).toMatchObject({ limit: 5, active: 0 })
    expect(accepted(gate, 7)).toBe(5)
  })

  it('says why, with which signal, when to retry, and under which revision, and the refusal is shared and frozen', () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1, retryAfter: { minMs: 100, maxMs: 900 } }), { revision: 7 }))
    gate.tryAcquire({})
    const refusals = Array.from({ length: 32 }, () => gate.tryAcquire({}))
    expect(new Set(refusals).size).toBe(16)
    expect(refusals.every((refusal) => Object.isFrozen(refusal))).toBe(true)
    expect(refusals[0]).toMatchObject({
      accepted: false,
      gate: 'gate',
      reason: 'limit-reached',
      signal: 'elsewhere',
      revision: 7,
    })
    const waits = refusals.map((refusal) => (refusal.accepted ? Number.NaN : refusal.retryAfterMs))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(100)
    expect(Math.max(...waits)).toBeLessThanOrEqual(900)
    expect(new Set(waits).size).toBe(16)
  })

  it.each([
    ['success', 9, { completed: 1 }],
    ['success', 10, { late: 1 }],
    ['ignored', 9, { completed: 1, ignored: 1 }],
    ['ignored', 10, { late: 1 }],
    ['failure', 10, { failed: 1 }],
    ['dropped', 9, { failed: 1 }],
  ] as const)('%s after %d of 10 ms books %j', (ending, ms, expected) => {
    const { gate, runtime, figures } = bench(settings(gatePolicy()))
    const permit = permitOf(gate.tryAcquire({ deadlineMs: 10 }))
    runtime.time.advance(ms)
    permit[ending]()
    const seen = Object.fromEntries(
      ['completed', 'late', 'failed', 'cancelled', 'ignored'].map((name) => [name, figures().sum(name)]),
    )
    expect(seen).toEqual({ completed: 0, late: 0, failed: 0, cancelled: 0, ignored: 0, ...expected })
  })

  it('drains: new work is refused, what runs goes on', () => {
    const { gate } = bench(settings(gatePolicy()))
    const permit = permitOf(gate.tryAcquire({}))
    gate.drain()
    expect(said(gate.tryAcquire({}))).toBe('draining')
    permit.success()
    expect(gate.report().active).toBe(0)
  })

  it('an inner entry to a held gate takes no slot and counts nothing', async () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1 })))
    const seen = await gate.run({}, async (context) => {
      const inner = permitOf(gate.tryAcquire({}))
      inner.failure()
      inner.success()
      return { same: inner.signal === context.signal, nested: await gate.run({}, () => gate.report().active) }
    })
    expect(seen).toEqual({ same: true, nested: 1 })
    expect([figures().sum('offered'), figures().sum('completed'), figures().sum('failed')]).toEqual([1, 1, 0])
    expect(said(gate.tryAcquire({}))).toBe('accepted')
  })

  it('code that outlives its permit holds the gate no longer', async () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1 })))
    let later: Promise<string> | undefined
    await gate.run({}, () => {
      later = settled().then(() => {
        gate.tryAcquire({})
        return said(gate.tryAcquire({}))
      })
    })
    expect(await later).toBe('limit-reached')
  })
})

describe('what makes no sense', () => {
  it.each([
    ['no deadline', {}, 'accepted'],
    ['NaN', { deadlineMs: Number.NaN }, 'accepted'],
    ['infinity', { deadlineMs: Number.POSITIVE_INFINITY }, 'accepted'],
    ['0', { deadlineMs: 0 }, 'expired-on-arrival'],
    ['negative', { deadlineMs: -5 }, 'expired-on-arrival'],
    ['minus infinity', { deadlineMs: Number.NEGATIVE_INFINITY }, 'expired-on-arrival'],
  ])('a deadline of %s', (_name, work, expected) => {
    const { gate } = bench(settings(gatePolicy({ deadline: { minMs: 5, defaultMs: 50, maxMs: 100 } })))
    expect(said(gate.tryAcquire(work))).toBe(expected)
  })

  it.each([
    [undefined, 50],
    [Number.NaN, 50],
    [1, 5],
    [60, 60],
    [Number.POSITIVE_INFINITY, 100],
  ])('a deadline of %s is taken as %d ms', (deadlineMs, expected) => {
    const { gate } = bench(settings(gatePolicy({ deadline: { minMs: 5, defaultMs: 50, maxMs: 100 } })))
    expect(permitOf(gate.tryAcquire({ deadlineMs })).remainingMs).toBe(expected)
  })

  it.each(['', 'x'.repeat(10_000), 'a\u0000b', 7, null, {}])('a tenant of %j never throws', (tenant) => {
    const { gate, figures, runtime } = bench(settings(gatePolicy()))
    permitOf(gate.tryAcquire({ tenant: tenant as string })).success()
    expect([gate.trackedTenants, figures().sum('completed'), runtime.errors.length]).toEqual([0, 1, 0])
  })

  it('tenants named as parts of every object are tenants like others', () => {
    const { gate } = bench(
      settings(gatePolicy(), { quotas: {}, tenants: { ...DEFAULT_TENANTS, unknown: 'refuse', default: quota({}) } }),
    )
    for (const tenant of ['__proto__', 'constructor', 'toString'])
      expect(said(gate.tryAcquire({ tenant }))).toBe('unknown-tenant')
  })

  it('an unknown class is the default one, and an untrusted caller’s is capped', () => {
    const classes = { default: 'sheddable', highest: 'critical' } as const
    const { gate, figures } = bench(settings(gatePolicy({ limit: 10, classes })))
    gate.tryAcquire({ criticality: 'urgent' as 'critical' })
    gate.tryAcquire({ criticality: 'critical-plus' })
    gate.tryAcquire({ criticality: 'critical-plus', caller: 'orders' })
    gate.tryAcquire({ criticality: 'sheddable-plus' })
    const perClass = (name: string) => figures().sum('offered', { class: name })
    expect(['critical-plus', 'critical', 'sheddable-plus', 'sheddable'].map(perClass)).toEqual([1, 1, 1, 1])
  })

  it('work that cannot be read is accepted under the hard ceiling, counted and reported', () => {
    const { gate, runtime, figures } = bench(settings(gatePolicy({ limit: 2 })))
    const broken: Work = {
      get tenant(): string {
        throw new Error('host')
      },
    }
    expect([1, 2, 3].map(() => said(gate.tryAcquire(broken)))).toEqual(['accepted', 'accepted', 'limit-reached'])
    expect(said(gate.tryAcquire(undefined as unknown as Work))).toBe('limit-reached')
    expect([figures().sum('offered'), figures().sum('accepted'), figures().sum('shed')]).toEqual([4, 2, 2])
    expect([gate.mishaps.faults, runtime.errors.length]).toEqual([3, 3])
  })

  it('B-76a a clock that steps back or fails changes no slot and no count', () => {
    const { gate, runtime, figures } = bench(settings(gatePolicy({ limit: 1 })))
    runtime.time.advance(10_000)
    const permit = permitOf(gate.tryAcquire({}))
    const now = runtime.clock.now.bind(runtime.clock)
    runtime.time.now = () => now() - 3_600_000
    permit.success()
    runtime.time.now = () => {
      throw new Error('clock')
    }
    permitOf(gate.tryAcquire({})).success()
    runtime.time.now = now
    expect([figures().sum('completed'), gate.report().active]).toEqual([2, 0])
    expect(gate.mishaps.faults).toBeGreaterThan(0)
  })
})
