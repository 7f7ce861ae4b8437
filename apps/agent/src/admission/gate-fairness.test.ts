import { settled } from '@weir/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asking, bench, gatePolicy, permitOf, quota, said, settings } from './gate.testkit.ts'
import type { Entry, Gate, Permit } from './gate.ts'
import { Resources } from './resource.ts'

/** A gate of one slot whose work is started one by one, and who was started. */
const serving = (quotas = {}, parts: Parameters<typeof gatePolicy>[0] = {}) => {
  const made = bench(
    settings(gatePolicy({ limit: 1, queue: { maxWaitMs: 60_000, maxItems: 10_000 }, ...parts }), { quotas }),
  )
  const started: string[] = []
  let running: Permit = permitOf(made.gate.tryAcquire({}))
  const ask = (tenant: string, work = {}) => {
    void Promise.resolve(made.gate.acquire({ tenant, deadlineMs: 60_000, ...work })).then((entry) => {
      if (!entry.accepted) return
      started.push(tenant)
      running = entry
    })
  }
  const serve = async (times = 1) => {
    for (let i = 0; i < times; i++) {
      running.ignored()
      await settled()
    }
  }
  return { ...made, ask, serve, started }
}
const count = (all: readonly string[], name: string) => all.filter((one) => one === name).length

describe('tenants in the queue', () => {
  it('one that floods waits for itself: another’s work goes next', async () => {
    const { ask, serve, started } = serving()
    for (let i = 0; i < 500; i++) ask('flood')
    ask('small')
    await serve(2)
    expect(started).toContain('small')
  })

  it('asking one by one earns no more than a share', async () => {
    const { ask, serve, started } = serving()
    for (let i = 0; i < 100; i++) ask('flood')
    for (let i = 0; i < 40; i++) {
      if (count(started, 'serial') === i / 2) ask('serial')
      await serve()
    }
    expect(Math.abs(count(started, 'serial') - count(started, 'flood'))).toBeLessThanOrEqual(2)
  })

  it('invariant 7: in every mix of weights and backlogs, starts follow the weights while all wait', async () => {
    const weights = fc.array(fc.constantFrom(0.5, 1, 2, 3, 7), { minLength: 2, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(weights, fc.infiniteStream(fc.nat()), async (given, draws) => {
        const quotas = Object.fromEntries(given.map((weight, i) => [`t${i}`, quota({ weight })]))
        const { ask, serve, started } = serving(quotas)
        const order = given.flatMap((_, i) => Array.from({ length: 120 }, () => `t${i}`))
        order.sort(() => ((draws.next().value ?? 0) % 2) - 0.5)
        for (const tenant of order) ask(tenant)
        const sum = given.reduce((a, b) => a + b, 0)
        for (let round = 0; round < 4; round++) {
          await serve(20)
          given.forEach((weight, i) => {
            const fair = ((round + 1) * 20 * weight) / sum
            if (fair > 119) return
            expect(Math.abs(count(started, `t${i}`) - fair)).toBeLessThanOrEqual(1 + 2 * (weight / Math.min(...given)))
          })
        }
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  it('a full queue makes room: the tenant with the most waiting loses its last, and the lowest class goes first', async () => {
    const { gate } = bench(settings(gatePolicy({ limit: 1, queue: { maxItems: 4 } })))
    permitOf(gate.tryAcquire({}))
    const { ask, words } = asking(gate)
    for (let i = 0; i < 4; i++) ask(`a${i}`, { tenant: 'a' })
    ask('a4', { tenant: 'a' })
    ask('b', { tenant: 'b' })
    ask('c', { tenant: 'c', criticality: 'critical' })
    expect(await words()).toEqual({ a4: 'queue-full', a3: 'queue-full', a2: 'queue-full' })
    ask('low', { tenant: 'd', criticality: 'sheddable' })
    expect((await words()).low).toBe('queue-full')
    expect(gate.report().waiting).toBe(4)
  })

  it('the wait is predicted for the tenant: the flood would be late, others are let in', async () => {
    const parts = { limit: 1, queue: { maxWaitMs: 100, maxItems: 1_000, initialRatePerSecond: 100 } }
    const { gate } = bench(settings(gatePolicy(parts)))
    permitOf(gate.tryAcquire({}))
    const { ask, words } = asking(gate)
    for (let i = 0; i < 12; i++) ask(`flood ${i}`, { tenant: 'flood' })
    ask('small', { tenant: 'small' })
    expect(await words()).toEqual({ 'flood 11': 'would-be-late' })
  })

  it('newest first within a tenant while overloaded, first in first out again when the queue was empty', async () => {
    const adaptive = gatePolicy({ limit: 1, queue: { maxWaitMs: 1_000, order: 'adaptive' } })
    const { gate } = bench(settings(adaptive))
    let running = permitOf(gate.tryAcquire({}))
    const { ask, answers, words } = asking(gate)
    const serve = async (name: string) => {
      running.ignored()
      await settled()
      expect(Object.keys(answers).at(-1)).toBe(name)
      running = permitOf(answers[name] as Entry)
    }
    for (const name of ['a', 'b', 'c']) ask(name)
    await serve('a')
    gate.level = 1
    ask('d', { criticality: 'critical' })
    ask('e', { criticality: 'critical' })
    await serve('e')
    gate.level = 0
    await serve('d')
    await serve('b')
    expect(await words()).not.toHaveProperty('c')
  })

  it('a queue that stands longer than one may wait is overloaded: the newest still starts in time', async () => {
    const policy = gatePolicy({ limit: 1, queue: { maxWaitMs: 50, order: 'adaptive', maxItems: 100 } })
    const { gate, runtime } = bench(settings(policy))
    let running = permitOf(gate.tryAcquire({}))
    const waits: number[] = []
    for (let i = 0; i < 400; i++) {
      const at = runtime.time.now()
      void Promise.resolve(gate.acquire({})).then((entry) => {
        if (!entry.accepted) return
        waits.push(runtime.time.now() - at)
        running = entry
      })
      await runtime.time.run(1)
      if (i % 4 === 3) running.ignored()
      await settled()
    }
    expect(Math.max(...waits.slice(-40))).toBeLessThanOrEqual(8)
  })
})

describe('gates that name one resource', () => {
  const shared = { resource: 'db', limit: 10 }
  const pair = (quotas: Record<string, ReturnType<typeof quota>>) => {
    const resources = new Resources()
    const first = bench(settings(gatePolicy(shared), { quotas }), { resources, name: 'a' })
    const second = bench(settings(gatePolicy(shared), { quotas }), { resources, name: 'b' })
    return { resources, quotas, gates: [first.gate, second.gate] as [Gate, Gate], first, second }
  }

  it('share one set of allowances: rate and concurrency together', () => {
    const { gates, first, second } = pair({ t: quota({ concurrency: 2 }), r: quota({ rate: 10, burst: 10 }) })
    for (const { runtime } of [first, second]) runtime.time.advance(60_000)
    const words = gates.map((gate) => Array.from({ length: 2 }, () => said(gate.tryAcquire({ tenant: 't' }))))
    expect(words).toEqual([
      ['accepted', 'accepted'],
      ['tenant-concurrency', 'tenant-concurrency'],
    ])
    let passed = 0
    for (let i = 0; i < 40; i++) {
      const entry = gates[i % 2]?.tryAcquire({ tenant: 'r' })
      if (!entry?.accepted) continue
      entry.success()
      passed++
    }
    expect(passed).toBe(10)
  })

  it('keep them when one of them is closed, however often', () => {
    const { resources, quotas, gates } = pair({ t: quota({ concurrency: 2 }) })
    const [first, second] = gates
    expect([said(second.tryAcquire({ tenant: 't' })), said(second.tryAcquire({ tenant: 't' }))]).toEqual(
      Array(2).fill('accepted'),
    )
    first.close()
    first.close()
    const third = bench(settings(gatePolicy(shared), { quotas }), { resources, name: 'c' })
    expect(said(third.gate.tryAcquire({ tenant: 't' }))).toBe('tenant-concurrency')
  })

  it('an edit moves it once, however many gates say it', () => {
    const { gates, first, second } = pair({ r: quota({ rate: 10, burst: 10 }) })
    for (const { runtime } of [first, second]) runtime.time.advance(60_000)
    const quotas = { r: quota({ rate: 10, burst: 15 }) }
    for (const gate of gates) gate.apply(settings(gatePolicy(shared), { quotas, revision: 2 }))
    let passed = 0
    for (let i = 0; i < 40; i++) {
      const entry = gates[i % 2]?.tryAcquire({ tenant: 'r' })
      if (entry?.accepted) passed++
      if (entry?.accepted) entry.success()
    }
    expect(passed).toBe(15)
  })

  it('another resource has accounts of its own; work that runs ends with the former', () => {
    const { gates, quotas } = pair({ t: quota({ concurrency: 1 }) })
    const [a, b] = gates
    const running = permitOf(a.tryAcquire({ tenant: 't' }))
    a.apply(settings(gatePolicy({ ...shared, resource: 'other' }), { quotas }))
    expect([said(a.tryAcquire({ tenant: 't' })), said(b.tryAcquire({ tenant: 't' }))]).toEqual([
      'accepted',
      'tenant-concurrency',
    ])
    running.success()
    expect(said(b.tryAcquire({ tenant: 't' }))).toBe('accepted')
  })
})
