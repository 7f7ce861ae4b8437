import { describe, expect, it } from 'vitest'
import { runInContext } from '../core/context.ts'
import { contextOf, figuresOf, type Rig, rig, watch } from './rig.testkit.ts'

/** An answer at once, whose body is over when `end` or `breakOff` is called, or its attempt aborted. */
const streaming = ({ dependency }: Rig, options: { signal?: AbortSignal } = {}) => {
  const body = Promise.withResolvers<void>()
  const call = watch(
    dependency.call(
      ({ signal }) => {
        signal.addEventListener('abort', () => body.reject(signal.reason))
        return 'head'
      },
      { ...options, tail: () => body.promise },
    ),
  )
  return { call, end: () => body.resolve(), breakOff: () => body.reject(new Error('cut')) }
}

describe('what goes on after the answer', () => {
  it('is part of the call: the caller has its answer, the slot is held until the body is over', async () => {
    const it = rig()
    const { call, end } = streaming(it)
    await it.time.run(10)
    expect([call.value, it.dependency.report().inFlight]).toEqual(['head', 1])
    expect(figuresOf(it).counters).toEqual({ calls: 1, attempts: 1 })
    end()
    await it.time.run(0)
    expect(it.dependency.report().inFlight).toBe(0)
    expect(figuresOf(it).counters).toEqual({ completed: 1 })
  })

  it('bodies that hang fill the compartment as answers that hang do, and are cut off at the timeout', async () => {
    const it = rig({ ceiling: 2, timeoutMs: 100 })
    streaming(it)
    streaming(it)
    await expect(it.dependency.call(() => 1)).rejects.toMatchObject({ reason: 'ceiling-reached' })
    await it.time.run(100)
    expect(it.dependency.report().inFlight).toBe(0)
    expect(figuresOf(it).counters).toMatchObject({ failed: 2, 'shed ceiling-reached': 1 })
  })

  it('a body that breaks off is a failure for the books and the breaker, and is not retried', async () => {
    const it = rig({ breaker: { minimumVolume: 1 }, retry: { maxAttempts: 3 } })
    const { breakOff } = streaming(it)
    breakOff()
    await it.time.run(0)
    expect(it.dependency.report().breaker).toBe('open')
    expect(figuresOf(it).counters).toEqual({ calls: 1, attempts: 1, failed: 1 })
  })

  it('B-14 the probe of a half-open breaker is not well before its body is', async () => {
    const it = rig({ breaker: { minimumVolume: 1, openMs: 50, probeLeaseMs: 10_000 } })
    watch(it.dependency.call(() => Promise.reject('x')))
    await it.time.run(50)
    const { end } = streaming(it)
    await it.time.run(0)
    expect(it.dependency.report().breaker).toBe('half-open')
    end()
    await it.time.run(0)
    expect(it.dependency.report().breaker).toBe('closed')
  })

  it('a caller that leaves in the middle ends it as cancelled; the breaker learns nothing', async () => {
    const it = rig({ breaker: { minimumVolume: 1 } })
    const caller = new AbortController()
    const { call } = streaming(it, { signal: caller.signal })
    await it.time.run(0)
    caller.abort('gone')
    await it.time.run(0)
    expect([call.value, it.dependency.report().inFlight, it.dependency.report().breaker]).toEqual(['head', 0, 'closed'])
    expect(figuresOf(it).counters).toMatchObject({ cancelled: 1 })
  })

  it('the inbound deadline bounds the body as well', async () => {
    const it = rig({ timeoutMs: 10_000 })
    runInContext(contextOf({ deadlineAt: it.time.now() + 30 }), () => streaming(it))
    await it.time.run(30)
    expect(it.dependency.report().inFlight).toBe(0)
    expect(figuresOf(it).counters).toMatchObject({ failed: 1 })
  })

  it('a body that ends at its deadline, before the timer does, is late', async () => {
    const it = rig({ timeoutMs: 100 })
    const body = Promise.withResolvers<void>()
    it.time.set(() => body.resolve(), 100)
    watch(it.dependency.call(() => 1, { tail: () => body.promise }))
    await it.time.run(100)
    expect(figuresOf(it).counters).toMatchObject({ late: 1 })
  })

  it('an observed answer that nobody reads is not cut off, and holds its slot for a minute at most', async () => {
    const it = rig({ mode: 'observe' })
    const { call } = streaming(it)
    await it.time.run(59_000)
    expect(it.dependency.report().inFlight).toBe(1)
    await it.time.run(1_000)
    expect([call.value, it.dependency.report().inFlight]).toEqual(['head', 0])
    expect(figuresOf(it).counters).toMatchObject({ completed: 1, lost: 1 })
  })

  it('B-13 an observed probe whose body nobody reads gives its place back', async () => {
    const it = rig({ mode: 'observe', breaker: { minimumVolume: 1, openMs: 50, probeLeaseMs: 1_000_000 } })
    watch(it.dependency.call(() => Promise.reject('x')))
    await it.time.run(50)
    streaming(it)
    await it.time.run(60_000)
    watch(it.dependency.call(() => 1))
    await it.time.run(0)
    expect(it.dependency.report().breaker).toBe('closed')
    expect(figuresOf(it).counters['would_shed breaker-open']).toBeUndefined()
  })

  it('close cuts it off', async () => {
    const it = rig()
    streaming(it)
    await it.time.run(0)
    it.dependency.close()
    await it.time.run(0)
    expect([it.dependency.report().inFlight, it.time.pending]).toEqual([0, 0])
  })

  it('one that throws instead of saying is reported, and the call is over', async () => {
    const it = rig()
    const tail = () => {
      throw new Error('no')
    }
    expect(await it.dependency.call(() => 1, { tail })).toBe(1)
    expect([it.dependency.report().inFlight, it.runtime.errors.length]).toEqual([0, 1])
  })
})
