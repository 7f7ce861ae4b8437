import { describe, expect, it } from 'vitest'
import { bench, gatePolicy, permitOf, settings } from './gate.testkit.ts'

describe('degraded work', () => {
  it('is accepted work that is told to do its cheaper variant, from a level on', async () => {
    const { gate, figures } = bench(settings(gatePolicy({ limit: 10, degrade: { level: 2 } })))
    expect(await gate.run({}, ({ degraded }) => degraded)).toBe(false)
    gate.level = 1
    expect(permitOf(gate.tryAcquire({ criticality: 'critical' })).degraded).toBe(false)
    gate.level = 2
    const permit = permitOf(gate.tryAcquire({ criticality: 'critical', tenant: 't' }))
    gate.level = 0
    expect(permit.degraded).toBe(true)
    expect([figures().sum('degraded', { tenant: 't' }), figures().sum('accepted')]).toEqual([1, 3])
  })

  it('or from a share of the slots on, itself included; work from the queue too', async () => {
    const { gate } = bench(settings(gatePolicy({ limit: 4, degrade: { usage: 0.75 } })))
    const permits = Array.from({ length: 4 }, () => permitOf(gate.tryAcquire({})))
    expect(permits.map(({ degraded }) => degraded)).toEqual([false, false, true, true])
    const waiting = gate.acquire({})
    permits[0]?.success()
    expect(permitOf(await waiting).degraded).toBe(true)
  })

  it('is nobody where the policy says nothing, or only observes', () => {
    for (const policy of [
      gatePolicy({ limit: 1, mode: 'observe' }),
      gatePolicy({ limit: 1, mode: 'observe', degrade: { usage: 0 } }),
    ]) {
      const { gate } = bench(settings(policy))
      gate.level = 4
      expect(permitOf(gate.tryAcquire({ criticality: 'critical-plus' })).degraded).toBe(false)
    }
  })
})
