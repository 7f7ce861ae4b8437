import { describe, expect, it } from 'vitest'
import { asking, bench, gatePolicy, permitOf, quota, said, settings } from './gate.testkit.ts'

const WOULD = ['limit-reached', 'tenant-rate', 'tenant-concurrency', 'unknown-tenant', 'expired-on-arrival', 'draining']

describe('observe', () => {
  it('accepts all, and counts with reasons what enforcing would have refused', () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 2, mode: 'observe' })))
    const permits = Array.from({ length: 5 }, () => permitOf(gate.tryAcquire({})))
    permitOf(gate.tryAcquire({ deadlineMs: 0 })).success()
    gate.drain()
    permitOf(gate.tryAcquire({})).success()
    for (const permit of permits) permit.success()
    const seen = figures()
    expect([seen.sum('offered'), seen.sum('accepted'), seen.sum('completed'), seen.sum('shed')]).toEqual([7, 7, 6, 0])
    expect(WOULD.map((reason) => seen.sum('would_shed', { reason }))).toEqual([3, 0, 0, 0, 1, 1])
    expect(seen.sum('late')).toBe(1)
  })

  it('work that enforcing would have refused holds no place in the estimate', () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 2, mode: 'observe' })))
    const [a, , c] = Array.from({ length: 3 }, () => permitOf(gate.tryAcquire({})))
    c?.success()
    gate.tryAcquire({})
    expect(figures().sum('would_shed')).toBe(2)
    a?.success()
    gate.tryAcquire({})
    expect(figures().sum('would_shed')).toBe(2)
  })

  it('estimates the queue: as many as it would hold count as waiting, the rest as refused', async () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 2, mode: 'observe', queue: { maxItems: 3 } })))
    const { ask, words } = asking(gate)
    for (let i = 0; i < 10; i++) ask(`${i}`)
    expect(Object.values(await words())).toEqual(Array(10).fill('accepted'))
    expect(figures().sum('would_shed', { reason: 'queue-full' })).toBe(5)
    expect(figures().gauge('waiting')).toBe(0)
  })

  it('uses tenants’ tokens only for what enforcing would have accepted', () => {
    const quotas = { a: quota({ rate: 1, burst: 2 }) }
    const { gate, runtime, figures } = bench(settings(gatePolicy({ limit: 10, mode: 'observe' }), { quotas }))
    runtime.time.advance(5_000)
    for (let i = 0; i < 5; i++) permitOf(gate.tryAcquire({ tenant: 'a' })).success()
    expect(figures().sum('would_shed', { reason: 'tenant-rate', tenant: 'a' })).toBe(3)
    runtime.time.advance(1_000)
    gate.tryAcquire({ tenant: 'a' })
    expect(figures().sum('would_shed')).toBe(3)
  })

  it('what was accepted while observing counts against the limit when it is enforced', () => {
    const { gate } = bench(settings(gatePolicy({ limit: 2, mode: 'observe' })))
    const permits = Array.from({ length: 4 }, () => permitOf(gate.tryAcquire({})))
    gate.apply(settings(gatePolicy({ limit: 2 })))
    expect(said(gate.tryAcquire({}))).toBe('limit-reached')
    permits[0]?.success()
    permits[1]?.success()
    expect(said(gate.tryAcquire({}))).toBe('limit-reached')
    permits[2]?.success()
    expect(said(gate.tryAcquire({}))).toBe('accepted')
  })

  it('sweeps forgotten permits too', () => {
    const { gate, runtime, figures } = bench(settings(gatePolicy({ mode: 'observe', maxHoldMs: 100 })))
    for (let i = 0; i < 5; i++) gate.tryAcquire({})
    runtime.time.advance(100)
    expect([figures().sum('abandoned'), gate.report().active]).toEqual([5, 0])
  })
})

describe('off', () => {
  it('neither counts nor refuses', async () => {
    const { gate, figures, runtime } = bench(settings(gatePolicy({ limit: 1, mode: 'off' })))
    const permits = Array.from({ length: 3 }, () => permitOf(gate.tryAcquire({ deadlineMs: 70 })))
    for (const permit of permits) permit.success()
    expect(await gate.run({}, () => 'ran')).toBe('ran')
    expect(permits[0]?.remainingMs).toBe(70)
    expect([figures().rows.length, figures().gauge('limit'), runtime.time.pending]).toEqual([0, Number.NaN, 0])
    permits[0]?.cancel()
    expect([permits[0]?.signal.aborted, permits[1]?.signal.aborted]).toEqual([true, false])
  })

  it('permits from before go on to be counted', () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 1 })))
    const permit = permitOf(gate.tryAcquire({}))
    gate.apply(settings(gatePolicy({ limit: 1, mode: 'off' })))
    permit.success()
    gate.apply(settings(gatePolicy({ limit: 1 })))
    expect([figures().sum('completed'), gate.report().active]).toEqual([1, 0])
  })
})

describe('the mode of the process', () => {
  it('beats every policy', () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1 })), { modeOverride: 'observe' })
    expect([1, 2, 3].map(() => said(gate.tryAcquire({})))).toEqual(Array(3).fill('accepted'))
    gate.apply(settings(gatePolicy({ limit: 1, mode: 'off' })))
    expect(gate.report().mode).toBe('observe')
  })
})
