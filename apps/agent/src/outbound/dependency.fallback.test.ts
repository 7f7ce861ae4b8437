import { describe, expect, it } from 'vitest'
import { WeirRefusal, WeirTimeout } from './refusal.ts'
import { figuresOf, lasting, rig, watch } from './rig.testkit.ts'

describe('a fallback', () => {
  it('answers for a refused and for a failed call, told why, and is a sub-count of both', async () => {
    const world = rig({ ceiling: 1, timeoutMs: 50 })
    const causes: unknown[] = []
    const fallback = (cause: unknown) => {
      causes.push(cause)
      return 'cached'
    }
    const timedOut = watch(world.dependency.call(lasting(world, 500, 'x'), { fallback }))
    const refused = watch(world.dependency.call(() => 'x', { fallback }))
    await world.time.run(50)
    expect([timedOut.value, refused.value]).toEqual(['cached', 'cached'])
    expect(causes).toEqual([expect.any(WeirRefusal), expect.any(WeirTimeout)])
    expect(figuresOf(world).counters).toEqual({
      calls: 2,
      attempts: 1,
      failed: 1,
      'shed ceiling-reached': 1,
      fallbacks: 2,
    })
    world.dependency.close()
  })

  it('that fails, now or later, makes nothing worse: the caller gets the first error, the sink the second', async () => {
    const world = rig()
    const first = () => Promise.reject(new Error('first'))
    const throwing = () => {
      throw new Error('second')
    }
    await expect(world.dependency.call(first, { fallback: throwing })).rejects.toThrow('first')
    await expect(world.dependency.call(first, { fallback: () => Promise.reject(new Error('second')) })).rejects.toThrow(
      'first',
    )
    expect(figuresOf(world).counters).toMatchObject({ failed: 2, fallbacks_failed: 2 })
    expect(world.runtime.errors).toHaveLength(2)
  })

  it('has a time of its own where it is given one, longer or shorter than the call', async () => {
    const world = rig({ timeoutMs: 50 })
    const fallback = lasting(world, 200, 'kept')
    const failing = () => Promise.reject('first')
    const patient = watch(world.dependency.call(failing, { fallback, fallbackMs: 300 }))
    const short = watch(world.dependency.call(failing, { fallback, fallbackMs: 100 }))
    const usual = watch(world.dependency.call(failing, { fallback }))
    await world.time.run(60)
    expect([patient.state, short.state, usual.error]).toEqual(['pending', 'pending', 'first'])
    await world.time.run(200)
    expect([patient.value, short.error]).toEqual(['kept', 'first'])
    world.dependency.close()
  })

  it('that hangs is given up after the timeout and keeps its own place, so that hanging ones do not pile up', async () => {
    const world = rig({ ceiling: 2, timeoutMs: 100, breaker: { mode: 'forced-closed' } })
    let started = 0
    const fallback = () => new Promise<never>(() => started++)
    const calls = Array.from({ length: 4 }, () =>
      watch(world.dependency.call(() => Promise.reject('first'), { fallback })),
    )
    await world.time.run(0)
    const refused = watch(world.dependency.call(() => Promise.reject('first'), { fallback }))
    await world.time.run(100)
    expect([...calls, refused].map(({ error }) => (error instanceof WeirRefusal ? error.reason : error))).toEqual([
      'first',
      'first',
      'ceiling-reached',
      'ceiling-reached',
      'first',
    ])
    expect(started).toBe(2)
    expect(world.time.pending).toBe(0)
  })

  it('is not asked where the caller left', async () => {
    const world = rig()
    const caller = new AbortController()
    let asked = 0
    const call = watch(
      world.dependency.call(() => new Promise<number>(() => {}), { signal: caller.signal, fallback: () => ++asked }),
    )
    caller.abort('gone')
    await world.time.run(0)
    expect([call.error, asked]).toEqual(['gone', 0])
  })

  it('replaces a value that counts as a failure, which is let go of; where it fails that value is the answer', async () => {
    const world = rig()
    const dropped: Response[] = []
    const discard = (value: Response | string) => void dropped.push(value as Response)
    const down = () => Promise.resolve<Response | string>(new Response('down', { status: 500 }))
    expect(await world.dependency.call(down, { fallback: () => 'cached', discard })).toBe('cached')
    const fallback = () => Promise.reject(new Error('no cache'))
    expect(await world.dependency.call(down, { fallback, discard })).toMatchObject({ status: 500 })
    expect(dropped).toHaveLength(1)
  })

  it('that still runs when the process closes is given up', async () => {
    const world = rig()
    const call = watch(
      world.dependency.call(() => Promise.reject('first'), { fallback: () => new Promise<never>(() => {}) }),
    )
    await world.time.run(0)
    world.dependency.close()
    await world.time.run(0)
    expect([call.error, world.time.pending]).toEqual(['first', 0])
  })
})
