import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it, vi } from 'vitest'
import { currentContext } from '../core/context.ts'
import { bench, gatePolicy, permitOf, settings } from './gate.testkit.ts'
import { LiveLimit } from './limit-live.ts'

describe('a host that says what makes no sense', () => {
  it.each(['soon', {}, null, true])('a deadline of %j is none: the policy’s default holds', (deadlineMs) => {
    const { gate } = bench(settings(gatePolicy({ deadline: { defaultMs: 700 } })))
    expect(permitOf(gate.tryAcquire({ deadlineMs: deadlineMs as never })).remainingMs).toBe(700)
  })

  it('waits no longer for it than for any other', async () => {
    const policy = gatePolicy({ limit: 1, queue: { maxWaitMs: 100 }, deadline: { defaultMs: 60 } })
    const { gate, runtime } = bench(settings(policy))
    gate.tryAcquire()
    const waiting = gate.acquire({ deadlineMs: 'soon' as never })
    await runtime.time.run(60)
    expect(await waiting).toMatchObject({ reason: 'expired-in-queue' })
  })

  it('a lesson that fails frees the slot all the same', () => {
    const { gate, runtime } = bench(settings(gatePolicy({ limit: 1 })))
    const permit = permitOf(gate.tryAcquire())
    const lesson = vi.spyOn(LiveLimit.prototype, 'sample').mockImplementation(() => {
      throw new Error('arithmetic')
    })
    permit.success()
    lesson.mockRestore()
    expect(gate.report().active).toBe(0)
    expect(runtime.errors).toHaveLength(1)
  })
})

describe('work that is started by work which has ended since', () => {
  const within = (given = gatePolicy()) => {
    const { gate, runtime } = bench(settings(given))
    const once = (deadlineMs: number) => {
      const permit = permitOf(gate.tryAcquire({ deadlineMs }))
      const seen = gate.within({}, permit, () => ({ inside: AsyncLocalStorage.snapshot(), context: currentContext() }))
      return { ...seen, end: () => permit.success() }
    }
    return { once, runtime }
  }

  it('is not bound by its deadline; work inside running work is', async () => {
    const { once, runtime } = within()
    const first = once(1_000)
    expect(first.inside(() => once(5_000)).context?.deadlineAt).toBe(first.context?.deadlineAt)
    first.end()
    await runtime.time.run(2_000)
    expect(first.inside(() => once(5_000)).context?.deadlineAt).toBe(runtime.clock.now() + 5_000)
  })

  it.each(['enforce', 'off'] as const)('keeps nothing of it, however long the chain (%s)', (mode) => {
    const { once } = within(gatePolicy({ mode }))
    let last = once(1_000)
    for (let n = 0; n < 20_000; n++) {
      last.end()
      last = last.inside(() => once(1_000))
    }
    expect(last.context?.retried).toBe(0)
  })
})
