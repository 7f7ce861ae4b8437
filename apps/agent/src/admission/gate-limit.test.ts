import { describe, expect, it } from 'vitest'
import { asking, bench, gatePolicy, permitOf, settings } from './gate.testkit.ts'
import type { LimitChange } from './limit-adaptive.ts'

const adaptive = (parts: Parameters<typeof gatePolicy>[0] = {}) => {
  const policy = gatePolicy({ concurrency: { algorithm: 'aimd', floor: 1, initial: 10, ceiling: 100 }, ...parts })
  const made = bench(settings(policy))
  const changes: LimitChange[] = []
  made.gate.limit.onChange((change) => changes.push(change))
  /** Fills the gate with work of `ms`, which then ends as told, so many times. */
  const rounds = (count: number, ms: number, end: 'success' | 'failure' | 'dropped' | 'ignored' | 'cancel') => {
    for (let i = 0; i < count; i++) {
      const permits = Array.from({ length: made.gate.limit.slots }, () => permitOf(made.gate.tryAcquire()))
      made.runtime.time.advance(ms)
      for (const permit of permits) {
        permit[end]()
        permit.ignored()
      }
    }
    return made.gate.limit.slots
  }
  return { ...made, policy, changes, rounds }
}

describe('what a gate teaches its limit', () => {
  it('success raises it while it is used, overload lowers it', () => {
    const { rounds } = adaptive()
    const grown = rounds(20, 50, 'success')
    expect(grown).toBeGreaterThan(12)
    expect(rounds(20, 50, 'dropped')).toBeLessThan(grown / 2)
  })

  it('failure, finished work that teaches nothing, and callers that left do not', () => {
    const { rounds } = adaptive()
    for (const ending of ['failure', 'ignored', 'cancel'] as const) expect(rounds(20, 50, ending)).toBe(10)
  })

  it('B-42d the wait in the queue is no part of a round trip', async () => {
    const { gate, runtime, changes } = adaptive({ queue: { maxWaitMs: 10_000, maxItems: 1_000 } })
    const { ask, answers } = asking(gate)
    for (let i = 0; i < 600; i++) ask(`${i}`)
    for (let i = 0; i < 80; i++) {
      await Promise.resolve()
      runtime.time.advance(10)
      for (const [name, entry] of Object.entries(answers)) {
        delete answers[name]
        if (entry.accepted) entry.success()
      }
    }
    expect(changes.length).toBeGreaterThan(0)
    for (const { medianMs, waited } of changes) expect([medianMs, waited]).toEqual([10, true])
  })

  it('work that ran past its deadline is overload', () => {
    const { rounds } = adaptive({ deadline: { defaultMs: 100 } })
    const grown = rounds(10, 50, 'success')
    expect(rounds(20, 300, 'success')).toBeLessThan(grown)
  })

  it('B-60a each attempt is a sample of its own', () => {
    const { rounds, changes } = adaptive()
    rounds(30, 10, 'success')
    for (const { medianMs } of changes) expect(medianMs).toBe(10)
  })

  it('a limit that rises hands its slots to the queue in the same step', async () => {
    const { gate, rounds, policy } = adaptive({ queue: { maxWaitMs: 10_000, maxItems: 1_000 } })
    rounds(10, 50, 'success')
    const before = gate.limit.slots
    const held = Array.from({ length: before }, () => permitOf(gate.tryAcquire()))
    const { ask, words } = asking(gate)
    for (let i = 0; i < 5; i++) ask(`${i}`)
    expect(Object.values(await words())).toEqual([])
    gate.apply(settings({ ...policy, concurrency: { ...policy.concurrency, floor: before + 3 } }))
    expect(Object.values(await words())).toEqual(['accepted', 'accepted', 'accepted'])
    for (const permit of held) permit.success()
  })

  it('a new policy keeps it, with another algorithm and other bounds', () => {
    const { gate, rounds, policy } = adaptive()
    const grown = rounds(20, 50, 'success')
    gate.apply(settings({ ...policy, concurrency: { algorithm: 'vegas', floor: 1, initial: 10, ceiling: 200 } }))
    expect(gate.report().limit).toBe(grown)
  })

  it('is in its report, with the overload level', () => {
    const { gate, figures } = adaptive()
    gate.level = 3
    expect(gate.report()).toMatchObject({ limit: 10, level: 3 })
    expect([figures().gauge('limit'), figures().gauge('level')]).toEqual([10, 3])
  })
})
