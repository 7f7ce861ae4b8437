import { describe, expect, it } from 'vitest'
import { runInContext } from '../core/context.ts'
import { WeirRefusal, WeirTimeout } from './refusal.ts'
import { contextOf, figuresOf, lasting, rig, watch } from './rig.testkit.ts'

describe('time', () => {
  it('cuts the call off after the policy timeout and aborts the signal with the same error', async () => {
    const world = rig({ timeoutMs: 80 })
    let signal: AbortSignal | undefined
    const call = watch(
      world.dependency.call((attempt) => {
        signal = attempt.signal
        return new Promise<never>(() => {})
      }),
    )
    await world.time.run(79)
    expect([call.state, signal?.aborted]).toEqual(['pending', false])
    await world.time.run(1)
    expect(call.error).toBeInstanceOf(WeirTimeout)
    expect(signal?.reason).toBe(call.error)
    expect(call.error).toMatchObject({
      dependency: 'payments',
      afterMs: 80,
      message: 'payments: no answer after 80 ms',
    })
  })

  it('B-82a the inbound deadline and the call its own are both kept: the earlier one wins', async () => {
    const world = rig({ timeoutMs: 1_000 })
    const inbound = contextOf({ deadlineAt: world.time.now() + 100 })
    const bounded = watch(
      runInContext(inbound, () => world.dependency.call(lasting(world, 500, 1), { deadlineMs: 1_000 })),
    )
    const own = watch(world.dependency.call(lasting(world, 500, 1), { deadlineMs: 40 }))
    await world.time.run(40)
    expect([own.state, bounded.state]).toEqual(['rejected', 'pending'])
    await world.time.run(60)
    expect(bounded.state).toBe('rejected')
  })

  it('a deadline that has passed refuses before anything is sent: now is too late', async () => {
    const world = rig()
    let sent = 0
    const inbound = contextOf({ deadlineAt: world.time.now() })
    await expect(runInContext(inbound, () => world.dependency.call(() => sent++))).rejects.toMatchObject({
      reason: 'deadline-passed',
      signal: 'stop',
    })
    await expect(world.dependency.call(() => sent++, { deadlineMs: 0 })).rejects.toBeInstanceOf(WeirRefusal)
    expect(sent).toBe(0)
  })

  it('an answer that comes at its deadline, before the timer does, is late', async () => {
    const world = rig({ timeoutMs: 100 })
    const call = world.dependency.call(async () => {
      world.time.set(() => {}, 0)
      await Promise.resolve()
      world.runtime.clock.now = () => 1_100
      return 'late'
    })
    expect(await call).toBe('late')
    expect(figuresOf(world).counters).toMatchObject({ late: 1 })
  })

  it('B-07 B-08 each call has a signal of its own: one that times out leaves the others alone', async () => {
    const world = rig({ timeoutMs: 50 })
    const signals: AbortSignal[] = []
    const work = (ms: number) => (attempt: { signal: AbortSignal }) => {
      signals.push(attempt.signal)
      return lasting(world, ms, 'ok')()
    }
    const a = watch(world.dependency.call(work(10_000)))
    await world.time.run(20)
    const b = watch(world.dependency.call(work(40)))
    await world.time.run(40)
    const c = watch(world.dependency.call(work(1)))
    await world.time.run(1)
    expect([a.state, b.state, c.state]).toEqual(['rejected', 'resolved', 'resolved'])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, false])
  })

  it('a signal that is first read after the call was cut off is aborted already', async () => {
    const world = rig({ timeoutMs: 50 })
    let late: boolean | undefined
    watch(
      world.dependency.call(async (attempt) => {
        await lasting(world, 100, null)()
        late = attempt.signal.aborted
      }),
    )
    await world.time.run(100)
    expect(late).toBe(true)
  })
})

describe('a caller that leaves', () => {
  it('B-17f ends the call at once with its reason; the breaker learns nothing and the slot waits for the work', async () => {
    const world = rig({ breaker: { minimumVolume: 1 } })
    const caller = new AbortController()
    let seen: unknown
    const call = watch(
      world.dependency.call(
        (attempt) => {
          attempt.signal.addEventListener('abort', () => {
            seen = attempt.signal.reason
          })
          return lasting(world, 100, 'unused')()
        },
        { signal: caller.signal },
      ),
    )
    caller.abort('gone')
    await world.time.run(0)
    expect([call.error, seen]).toEqual(['gone', 'gone'])
    expect(world.dependency.report()).toMatchObject({ inFlight: 1, breaker: 'closed' })
    await world.time.run(100)
    expect(world.dependency.report().inFlight).toBe(0)
    expect(figuresOf(world).counters).toEqual({ calls: 1, attempts: 1, cancelled: 1 })
  })

  it('one that left before sends nothing, and one whose inbound work was aborted leaves too', async () => {
    const world = rig()
    let sent = 0
    await expect(world.dependency.call(() => sent++, { signal: AbortSignal.abort('early') })).rejects.toBe('early')
    const inbound = new AbortController()
    const call = watch(
      runInContext(contextOf({ signal: inbound.signal }), () =>
        world.dependency.call(() => new Promise<never>(() => {})),
      ),
    )
    inbound.abort('client closed')
    await world.time.run(0)
    expect(call.error).toBe('client closed')
    expect(sent).toBe(0)
  })

  it('all that runs for one caller ends when it leaves, whoever else listens', async () => {
    const { dependency } = rig()
    const caller = new AbortController()
    caller.signal.addEventListener('abort', () => undefined)
    const ends = Promise.allSettled(
      [1, 2].map(() => dependency.call(() => new Promise<never>(() => {}), { signal: caller.signal })),
    )
    caller.abort('gone')
    expect((await ends).map((end) => end.status === 'rejected' && end.reason)).toEqual(['gone', 'gone'])
  })

  it('B-64 B-44c ten thousand calls leave no listener on a long signal, and no timer', async () => {
    const world = rig()
    const caller = new AbortController()
    let listeners = 0
    const { signal } = caller
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    for (let i = 0; i < 10_000; i++) await world.dependency.call(() => i, { signal, deadlineMs: 500 })
    expect(listeners).toBe(0)
    await world.time.run(1_000)
    expect(world.time.pending).toBe(0)
  })
})
