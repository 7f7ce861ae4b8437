import { describe, expect, it } from 'vitest'
import { figuresOf, lasting, rig, watch } from './rig.testkit.ts'
import { FAILURE } from './verdict.ts'

describe('a host that says what makes no sense', () => {
  it.each([undefined, 'success', { kind: 'fine' }, Promise.resolve(FAILURE)])(
    'a classification that is no verdict is reported, and the value stands',
    async (verdict) => {
      const world = rig()
      await expect(world.dependency.call(() => 'x', { classify: () => verdict as never })).resolves.toBe('x')
      const failed = world.dependency.call(() => Promise.reject(new Error('no')), { classify: () => verdict as never })
      await expect(failed).rejects.toThrow('no')
      expect(world.runtime.errors).toHaveLength(2)
      expect(figuresOf(world)).toMatchObject({
        counters: { completed: 1, failed: 1 },
        gauges: { in_flight: 0 },
      })
      world.dependency.close()
    },
  )

  it('a wait that is no number is none: the retry comes', async () => {
    const world = rig({ retry: { maxAttempts: 2 } })
    const classify = () => ({ ...FAILURE, waitMs: Number.NaN, retried: undefined as never })
    const call = watch(world.dependency.call(() => Promise.reject(new Error('no')), { idempotent: true, classify }))
    await world.time.run(900)
    expect(call.state).toBe('rejected')
    expect(figuresOf(world).counters).toMatchObject({ attempts: 2, failed: 1 })
    world.dependency.close()
  })

  it.each(['soon', '5', {}, null])('a deadline of %j is none: the policy’s timeout holds', async (deadlineMs) => {
    const world = rig({ timeoutMs: 100 })
    const call = watch(world.dependency.call(lasting(world, 5_000, 'x'), { deadlineMs: deadlineMs as never }))
    await world.time.run(99)
    expect(call.state).toBe('pending')
    await world.time.run(1)
    expect(call.state).toBe('rejected')
    world.dependency.close()
  })

  it.each([
    ['undefined', () => undefined],
    [
      'a promise whose then throws',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a thenable of a host that is broken
        then() {
          throw new Error('no')
        },
      }),
    ],
  ])('a tail that is %s leaves the caller its answer and no slot', async (_what, tail) => {
    const world = rig()
    const call = watch(world.dependency.call(() => 'x', { tail: tail as never }))
    await world.time.run(0)
    expect([call.value, world.dependency.report().inFlight]).toEqual(['x', 0])
    world.dependency.close()
  })

  it('a caller that leaves while its end is being classified gives one slot back, once', async () => {
    const world = rig()
    const caller = new AbortController()
    const classify = () => {
      caller.abort('gone')
      return FAILURE
    }
    const options = { signal: caller.signal, classify }
    await expect(world.dependency.call(() => Promise.reject('x'), options)).rejects.toBe('gone')
    expect(figuresOf(world)).toMatchObject({
      counters: { calls: 1, cancelled: 1 },
      gauges: { in_flight: 0, zombies: 0 },
    })
    expect(figuresOf(world).counters).toEqual({})
    world.dependency.close()
  })
})
