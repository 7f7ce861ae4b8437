import { virtualRuntime } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { runInContext } from '../core/context.ts'
import type { Fallback } from './fallback.ts'
import { type DeferredCall, deferWrite, firstOf, LastGood } from './fallbacks.ts'
import { contextOf, figuresOf, rig, watch } from './rig.testkit.ts'

const down = () => Promise.reject(new Error('down'))
const nothing: Fallback<never> = () => {
  throw new Error('nothing here')
}
const write = { dependency: 'payments', payload: { order: 7 }, idempotencyKey: 'order-7' }

describe('a remembered answer', () => {
  it('is given with its age, and is none when it is too old', () => {
    const { clock, time } = virtualRuntime()
    const prices = new LastGood<number>({ maxAgeMs: 1_000, clock })
    expect(prices.recall('a')).toBeNull()
    expect(prices.remember('a', 0)).toBe(0)
    time.advance(400)
    expect(prices.recall('a')).toEqual({ value: 0, ageMs: 400 })
    time.advance(600)
    expect(prices.recall('a')).toEqual({ value: 0, ageMs: 1_000 })
    time.advance(1)
    expect(prices.recall('a')).toBeNull()
    expect(prices.size).toBe(0)
  })

  it('declares its age in the answer', async () => {
    const world = rig()
    const prices = new LastGood<number>({ maxAgeMs: 60_000, clock: world.runtime.clock })
    const ask = (work: () => Promise<number>) =>
      world.dependency.call<{ price: number; ageMs: number }>(
        async () => ({ price: prices.remember('a', await work()), ageMs: 0 }),
        { fallback: prices.fallback('a', (price, ageMs) => ({ price, ageMs })) },
      )
    expect(await ask(async () => 12)).toEqual({ price: 12, ageMs: 0 })
    await world.time.run(5_000)
    expect(await ask(down)).toEqual({ price: 12, ageMs: 5_000 })
    expect(figuresOf(world).counters).toMatchObject({ failed: 1, fallbacks: 1 })
  })

  it('is one of a bounded number, the oldest goes first', () => {
    const some = new LastGood<number>({ maxAgeMs: 1, maxEntries: 2, clock: virtualRuntime().clock })
    for (const key of ['a', 'b', 'a', 'c']) some.remember(key, 1)
    expect(['a', 'b', 'c'].map((key) => some.recall(key) !== null)).toEqual([true, false, true])
  })

  it.each([{ maxAgeMs: 0 }, { maxAgeMs: Number.NaN }, { maxAgeMs: 1, maxEntries: 0 }])('refuses %o', (options) => {
    expect(() => new LastGood(options)).toThrow(RangeError)
  })
})

describe('a deferred write', () => {
  it('is durable before its caller is answered, and bears the key and whose it is', async () => {
    const world = rig()
    const queue: DeferredCall[] = []
    const durable = Promise.withResolvers<void>()
    const enqueue = (work: DeferredCall) => {
      queue.push(work)
      return durable.promise
    }
    const context = contextOf({ tenant: 'acme', criticality: 'critical' })
    const call = watch(
      runInContext(context, () =>
        world.dependency.call<string>(down, {
          idempotencyKey: write.idempotencyKey,
          fallback: deferWrite({ enqueue }, write, 'later'),
        }),
      ),
    )
    await world.time.run(0)
    expect([call.state, queue]).toEqual(['pending', [{ ...write, tenant: 'acme', criticality: 'critical' }]])
    durable.resolve()
    await world.time.run(0)
    expect(call.value).toBe('later')
  })

  it('that does not become durable in time is aborted, and its caller gets the first error', async () => {
    const world = rig({ timeoutMs: 100 })
    let told: AbortSignal | undefined
    const enqueue = (_work: DeferredCall, signal: AbortSignal) => {
      told = signal
      return new Promise<void>(() => {})
    }
    const call = watch(world.dependency.call<string>(down, { fallback: deferWrite({ enqueue }, write, 'later') }))
    await world.time.run(100)
    expect([call.error, told?.aborted]).toEqual([new Error('down'), true])
    expect(figuresOf(world).counters).toMatchObject({ failed: 1, fallbacks_failed: 1 })
  })
})

describe('the kindest first', () => {
  it('asks one after the other until one answers', async () => {
    const { dependency } = rig()
    expect(
      await dependency.call<string>(down, {
        fallback: firstOf(
          nothing,
          () => 'cached',
          () => 'default',
        ),
      }),
    ).toBe('cached')
    expect(await dependency.call<string[]>(down, { fallback: firstOf(nothing, nothing, () => []) })).toEqual([])
    await expect(dependency.call<string>(down, { fallback: firstOf(nothing, nothing) })).rejects.toThrow('down')
  })

  it('asks no other after it was given up', async () => {
    const world = rig({ timeoutMs: 50 })
    let asked = 0
    const hanging: Fallback<string> = (_cause, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const call = watch(world.dependency.call<string>(down, { fallback: firstOf(hanging, () => `${++asked}`) }))
    await world.time.run(50)
    expect([call.error, asked]).toEqual([new Error('down'), 0])
  })
})
