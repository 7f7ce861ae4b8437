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
})
