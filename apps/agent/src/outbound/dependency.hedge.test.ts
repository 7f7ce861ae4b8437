import { describe, expect, it } from 'vitest'
import { runInContext } from '../core/context.ts'
import { flaky, idempotent, plenty, retrying } from './retry.testkit.ts'
import { contextOf, figuresOf, lasting, watch } from './rig.testkit.ts'

const hedging = (change: Parameters<typeof retrying>[0] = {}) => retrying({ hedge: { afterMs: 50 }, ...change })

/** The n-th attempt takes the n-th time and then answers with its number, or rejects with it where the time is negative. */
const taking =
  ({ time }: ReturnType<typeof retrying>, ...takesMs: number[]) =>
  ({ attempt, signal }: { attempt: number; signal: AbortSignal }): Promise<number> =>
    new Promise((resolve, reject) => {
      const ms = takesMs[attempt - 1] ?? 0
      signal.addEventListener('abort', () => reject(signal.reason))
      time.set(() => (ms < 0 ? reject(attempt) : resolve(attempt)), Math.abs(ms))
    })

describe('a hedge', () => {
  it('is off unless a policy asks for it', async () => {
    const it = retrying()
    const call = watch(it.dependency.call(taking(it, 5_000, 10), idempotent))
    await it.time.run(5_000)
    expect([call.value, figuresOf(it).counters.hedges]).toEqual([1, undefined])
  })

  it('is sent when the first attempt takes long; the first answer wins, the other is told to stop', async () => {
    const it = hedging()
    const context = contextOf({})
    const call = watch(runInContext(context, () => it.dependency.call(taking(it, 5_000, 10), idempotent)))
    await it.time.run(50)
    expect(it.dependency.report().inFlight).toBe(2)
    await it.time.run(10)
    expect([call.value, context.retried, it.dependency.report().inFlight]).toEqual([2, 1, 0])
    expect(figuresOf(it).counters).toEqual({ calls: 1, attempts: 2, hedges: 1, completed: 1 })
    it.dependency.close()
    await it.time.run(5_000)
    expect(it.time.pending).toBe(0)
  })

  it('is not sent where the first answered in time, nor where it failed before', async () => {
    const it = hedging({ retry: { maxAttempts: 3, initialMs: 100 } })
    expect(watch(it.dependency.call(taking(it, 49), idempotent))).toBeDefined()
    const failing = watch(it.dependency.call(flaky(it, 1).work, idempotent))
    await it.time.run(1_000)
    expect(failing.value).toBe(2)
    expect(figuresOf(it).counters).toMatchObject({ attempts: 3, retries: 1 })
    expect(figuresOf(it).counters.hedges).toBeUndefined()
  })

  it('is for work that may be repeated, and that no layer above repeats', async () => {
    const it = hedging()
    watch(it.dependency.call(taking(it, 500)))
    watch(runInContext(contextOf({ attempt: 2 }), () => it.dependency.call(taking(it, 500), idempotent)))
    await it.time.run(1_000)
    expect(figuresOf(it).counters.attempts).toBe(2)
  })

  it('B-66e with an empty budget the call goes on with its first attempt, and fails when that does', async () => {
    const it = hedging({ budget: { kind: 'token-bucket', maxTokens: 1, ratio: 0.1 }, retry: { maxAttempts: 3 } })
    watch(it.dependency.call(() => Promise.reject('spent'), idempotent))
    const call = watch(it.dependency.call(taking(it, -100), idempotent))
    await it.time.run(99)
    expect(call.state).toBe('pending')
    await it.time.run(1)
    expect(call.error).toBe(1)
    expect(figuresOf(it).counters).toMatchObject({ attempts: 2, budget_exhausted: 3 })
  })

  it('B-44b a budget that runs out while it flies does not touch it', async () => {
    const it = hedging({ budget: { kind: 'ratio', share: 0, floorPerSecond: 1, windowMs: 1_000 } })
    const call = watch(it.dependency.call(taking(it, 5_000, 100), idempotent))
    await it.time.run(60)
    expect(it.dependency.report().budgetLeft).toBe(0)
    watch(it.dependency.call(() => Promise.reject('spent'), idempotent))
    await it.time.run(90)
    expect(call.value).toBe(2)
  })

  it('needs a slot of its own: the ceiling bounds what the callee has to do', async () => {
    const it = hedging({ ceiling: 2 })
    watch(it.dependency.call(taking(it, 500), idempotent))
    watch(it.dependency.call(taking(it, 500), idempotent))
    await it.time.run(100)
    expect(it.dependency.report().inFlight).toBe(2)
    expect(figuresOf(it).counters.attempts).toBe(2)
  })

  it('one failing attempt waits for the other; when both failed the retry is decided once', async () => {
    const it = hedging({ budget: plenty, retry: { maxAttempts: 3, initialMs: 10 } })
    const healed = watch(it.dependency.call(taking(it, -60, 100), idempotent))
    await it.time.run(200)
    expect(healed.value).toBe(2)
    const both = watch(it.dependency.call(taking(it, -60, -60, 5), idempotent))
    await it.time.run(200)
    expect(both.value).toBe(3)
    expect(figuresOf(it).counters).toMatchObject({ hedges: 2, retries: 1, completed: 2 })
  })

  it('a timeout ends both, and both keep their slots until they end', async () => {
    const it = hedging({ timeoutMs: 100 })
    const call = watch(it.dependency.call(lasting(it, 400, 1), idempotent))
    await it.time.run(100)
    expect(call.error).toMatchObject({ name: 'WeirTimeout' })
    expect(it.dependency.report().inFlight).toBe(2)
    await it.time.run(400)
    expect(it.dependency.report().inFlight).toBe(0)
    it.dependency.close()
    expect(it.time.pending).toBe(0)
  })

  it('two that never end are both lost, and freed once', async () => {
    const it = hedging({ timeoutMs: 100 })
    watch(it.dependency.call(() => new Promise<never>(() => {}), idempotent))
    await it.time.run(100 + 60_000)
    expect(it.dependency.report().inFlight).toBe(0)
    expect(figuresOf(it).counters.lost).toBe(2)
  })
})
