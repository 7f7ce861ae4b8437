import { settled } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { asking, bench, full, gatePolicy, permitOf, quota, said, settings } from './gate.testkit.ts'
import type { Entry } from './gate.ts'

describe('the queue', () => {
  it('O-08 a freed slot goes to the head in the same step: a newcomer does not overtake', async () => {
    const { gate, holder, ask, words } = full()
    ask('head')
    holder.success()
    expect(said(gate.tryAcquire({}))).toBe('limit-reached')
    ask('newcomer')
    expect(await words()).toEqual({ head: 'accepted' })
    expect(gate.report()).toMatchObject({ active: 1, waiting: 1 })
  })

  it('B-53 is bounded in items too: refused past the bound', async () => {
    const { gate, ask, words } = full({ queue: { maxItems: 3 } })
    for (let i = 0; i < 1_000; i++) ask(`${i}`)
    expect(gate.report().waiting).toBe(3)
    expect(Object.values(await words())).toEqual(Array(997).fill('queue-full'))
  })

  it.each([{ maxWaitMs: 0 }, { maxItems: 0 }])('of %j is none', async (queue) => {
    const { ask, words } = full({ queue })
    ask('a')
    expect(await words()).toEqual({ a: 'limit-reached' })
  })

  it('work waits as long as the queue allows, or until its deadline, and leaves at once then', async () => {
    const { gate, runtime, ask, words, figures } = full({ queue: { maxWaitMs: 100 } })
    ask('patient')
    ask('hurried', { deadlineMs: 60 })
    ask('both', { deadlineMs: 100 })
    runtime.time.advance(59)
    expect(await words()).toEqual({})
    runtime.time.advance(1)
    expect(await words()).toEqual({ hurried: 'expired-in-queue' })
    runtime.time.advance(39)
    expect(gate.report()).toMatchObject({ waiting: 2, oldestAgeMs: 99 })
    runtime.time.advance(1)
    expect(await words()).toEqual({ hurried: 'expired-in-queue', patient: 'queue-timeout', both: 'expired-in-queue' })
    expect([figures().sum('expired'), figures().sum('shed'), figures().gauge('waiting')]).toEqual([2, 1, 0])
  })

  it('B-84c work whose time was over is not started, whichever of timer and slot comes first', async () => {
    const { runtime, holder, ask, words } = full({ queue: { maxWaitMs: 1_000 } })
    ask('late', { deadlineMs: 50 })
    ask('next')
    runtime.time.set = () => 0
    const now = runtime.time.now.bind(runtime.time)
    runtime.time.now = () => now() + 50
    holder.ignored()
    expect(await words()).toEqual({ late: 'expired-in-queue', next: 'accepted' })
  })

  it('B-35 B-50b B-55 O-09 an aborted waiter leaves at once; its seat and its slot go to the next', async () => {
    const { gate, holder, ask, words, figures } = full({ queue: { maxItems: 2 } })
    const caller = new AbortController()
    ask('left', { signal: caller.signal })
    ask('second')
    caller.abort()
    expect(await words()).toEqual({ left: 'cancelled' })
    ask('third')
    holder.success()
    expect(await words()).toEqual({ left: 'cancelled', second: 'accepted' })
    expect(gate.report()).toMatchObject({ active: 1, waiting: 1 })
    expect([figures().sum('cancelled_waiting'), figures().sum('shed')]).toEqual([1, 0])
  })

  it('B-50a abort of all leaves nothing running and nothing waiting', async () => {
    const { gate, holder, ask, words } = full()
    const caller = new AbortController()
    ask('a', { signal: caller.signal })
    caller.abort()
    holder.cancel()
    holder.failure()
    expect(await words()).toEqual({ a: 'cancelled' })
    expect(gate.report()).toMatchObject({ active: 0, zombies: 0, waiting: 0 })
  })

  it('B-50d B-51 close answers all that wait, and leaves no timer', async () => {
    const { gate, runtime, holder, ask, words, figures } = full()
    ask('a')
    ask('b')
    gate.close()
    ask('c')
    expect(await words()).toEqual({ a: 'draining', b: 'draining', c: 'draining' })
    expect(runtime.time.pending).toBe(0)
    holder.success()
    expect([figures().sum('shed'), figures().sum('completed'), runtime.time.pending]).toEqual([3, 1, 0])
  })

  it('a drain lets those that wait go on', async () => {
    const { gate, holder, ask, words } = full()
    ask('a')
    gate.drain()
    ask('b')
    holder.success()
    expect(await words()).toEqual({ a: 'accepted', b: 'draining' })
  })

  it('B-43b O-24 B-54a classes go first by rank, and the lowest still starts within its bound under steady higher work', async () => {
    const { runtime, holder, ask, answers } = full({ queue: { maxWaitMs: 200, maxItems: 10_000 } })
    ask('low', { criticality: 'sheddable' })
    let running = holder
    let started = Number.NaN
    for (let i = 0; i < 20 && Number.isNaN(started); i++) {
      ask(`high ${i}`, { criticality: 'critical', deadlineMs: 60_000 })
      runtime.time.advance(10)
      running.ignored()
      await settled()
      const high = answers[`high ${i}`]
      if (high?.accepted) running = high
      else started = runtime.time.now()
    }
    expect(said(answers.low as Entry)).toBe('accepted')
    expect(started).toBeGreaterThanOrEqual(100)
    expect(started).toBeLessThanOrEqual(110)
  })

  it('aged low work takes at most one start in eight from higher work', async () => {
    const { runtime, holder, ask, answers } = full({
      queue: { maxWaitMs: 60_000, maxItems: 10_000 },
      deadline: { defaultMs: 60_000 },
    })
    for (let i = 0; i < 100; i++) ask(`low ${i}`, { criticality: 'sheddable' })
    runtime.time.advance(40_000)
    for (let i = 0; i < 80; i++) ask(`high ${i}`, { criticality: 'critical' })
    let running = holder
    for (let i = 0; i < 80; i++) {
      const before = new Set(Object.keys(answers))
      running.ignored()
      await settled()
      const name = Object.keys(answers).find((key) => !before.has(key)) ?? ''
      running = permitOf(answers[name] as Entry)
    }
    const low = Object.keys(answers).filter((name) => name.startsWith('low')).length
    expect(low).toBe(10)
  })

  it('B-54c within a class it is first in, first out, however deadlines differ', async () => {
    const { runtime, holder, ask, answers } = full()
    ask('first', { deadlineMs: 10_000 })
    runtime.time.advance(10)
    ask('second', { deadlineMs: 300 })
    holder.ignored()
    await settled()
    expect(Object.keys(answers)).toEqual(['first'])
  })

  it('work that would start too late is shed on arrival, by the policy’s rate until one was measured', async () => {
    const { ask, words } = full({ queue: { maxWaitMs: 100, maxItems: 1_000, initialRatePerSecond: 50 } })
    for (let i = 0; i < 7; i++) ask(`${i}`)
    expect(await words()).toEqual({ 6: 'would-be-late' })
  })

  it('without any rate known only the item ceiling bounds the queue', () => {
    const { gate, ask } = full({ queue: { maxWaitMs: 100, maxItems: 500 } })
    for (let i = 0; i < 600; i++) ask(`${i}`)
    expect(gate.report().waiting).toBe(500)
  })

  it('the wait is predicted by the measured drain rate, and by limit / median before that', async () => {
    const { gate, runtime, ask, answers, holder } = full({ queue: { maxWaitMs: 1_000, maxItems: 1_000 } })
    let running = holder
    const serve = async (name: string) => {
      runtime.time.advance(20)
      running.success()
      await settled()
      running = permitOf(answers[name] as Entry)
    }
    ask('0')
    await serve('0')
    for (let i = 1; i <= 60; i++) ask(`${i}`)
    expect(gate.report().waiting).toBe(51)
    for (let i = 1; i <= 40; i++) await serve(`${i}`)
    for (let i = 100; i <= 160; i++) ask(`${i}`)
    expect(gate.report().waiting).toBe(51)
  })

  it('a budget that the typical processing time uses up is no queue', async () => {
    const { runtime, gate, ask, words, holder } = full()
    runtime.time.advance(100)
    holder.success()
    gate.tryAcquire({})
    ask('hurried', { deadlineMs: 90 })
    ask('patient', { deadlineMs: 300 })
    expect(await words()).toEqual({ hurried: 'would-be-late' })
    expect(gate.report().waiting).toBe(1)
  })

  it('a waiter that became too late for its deadline is shed when its turn comes, and the next starts', async () => {
    const { runtime, gate, ask, words, holder } = full()
    runtime.time.advance(100)
    holder.success()
    const slow = permitOf(gate.tryAcquire({}))
    ask('hurried', { deadlineMs: 150 })
    ask('patient', { deadlineMs: 900 })
    runtime.time.advance(60)
    slow.ignored()
    expect(await words()).toEqual({ hurried: 'would-be-late', patient: 'accepted' })
  })

  it('goes on after a stand-still: one may always wait when nobody does', async () => {
    const { runtime, gate, ask, words, holder } = full({ queue: { maxWaitMs: 50 } })
    runtime.time.advance(1_000)
    holder.success()
    gate.tryAcquire({})
    ask('a')
    expect(await words()).toEqual({})
    expect(gate.report().waiting).toBe(1)
  })

  it('a tenant’s waiting work counts against its concurrency, and gives place and tokens back when it leaves', async () => {
    const { gate, runtime } = bench(
      settings(gatePolicy({ limit: 1 }), { quotas: { a: quota({ concurrency: 2, rate: 1, burst: 2 }) } }),
    )
    const { ask, words } = asking(gate)
    runtime.time.advance(10_000)
    const caller = new AbortController()
    ask('1', { tenant: 'a' })
    ask('2', { tenant: 'a', signal: caller.signal })
    ask('3', { tenant: 'a' })
    expect(await words()).toEqual({ 1: 'accepted', 3: 'tenant-concurrency' })
    caller.abort()
    ask('4', { tenant: 'a' })
    expect(await words()).toEqual({ 1: 'accepted', 2: 'cancelled', 3: 'tenant-concurrency' })
    expect(gate.report().waiting).toBe(1)
  })
})
