import { describe, expect, test } from 'vitest'
import type { CallOptions } from './parts.ts'
import { WeirRefusal } from './refusal.ts'
import { failing, figuresOf, lasting, type PolicyChange, type Rig, rig, watch } from './rig.testkit.ts'
import { FAILURE, NEUTRAL, refused, SUCCESS } from './verdict.ts'

const breaker = { minimumVolume: 2, failureShare: 0.5, openMs: 1_000, probes: 1, probeLeaseMs: 500 }
const world = (change: PolicyChange = {}) => rig({ ...change, breaker: { ...breaker, ...change.breaker } })

const failOnce = ({ dependency }: Rig) => dependency.call(() => Promise.reject('bad')).catch(() => {})
const opened = async (change: PolicyChange = {}) => {
  const it = world(change)
  await failOnce(it)
  await failOnce(it)
  expect(it.dependency.report().breaker).toBe('open')
  figuresOf(it)
  return it
}
const isOpen = { reason: 'breaker-open', signal: 'later' }

describe('the breaker of a dependency', () => {
  test('B-06 refuses while open, says for how long, sends nothing and counts none of it as a failure', async () => {
    const it = await opened()
    let sent = 0
    for (let i = 0; i < 100; i++) {
      const call = watch(it.dependency.call(() => sent++))
      await it.time.run(1)
      expect(call.error).toMatchObject({ ...isOpen, retryAfterMs: 1_000 - i })
    }
    expect(sent).toBe(0)
    expect(figuresOf(it).counters).toEqual({ calls: 100, 'shed breaker-open': 100 })
  })

  test('B-01 B-15 of ten callers at once one probes', async () => {
    const it = await opened()
    await it.time.run(1_000)
    const calls = Array.from({ length: 10 }, () => watch(it.dependency.call(lasting(it, 50, 'ok'))))
    await it.time.run(50)
    expect(calls.filter(({ state }) => state === 'resolved')).toHaveLength(1)
    expect(calls.filter(({ error }) => error instanceof WeirRefusal)).toHaveLength(9)
    expect(it.dependency.report().breaker).toBe('closed')
  })

  test('O-13 B-28 callers behind a probe that hangs are refused at once, with the time left', async () => {
    const it = await opened()
    await it.time.run(1_000)
    const probe = watch(it.dependency.call(() => new Promise<never>(() => {})))
    await it.time.run(100)
    const calls = Array.from({ length: 1_000 }, () => watch(it.dependency.call(() => 1)))
    await it.time.run(0)
    expect(calls.every(({ error }) => error instanceof WeirRefusal && error.retryAfterMs === 400)).toBe(true)
    expect(probe.state).toBe('pending')
    it.dependency.close()
  })

  test('B-29 nobody waits at it, so nothing is released at once when it closes', async () => {
    const it = world({ breaker: { minimumVolume: 2, openMs: 1_000 }, ceiling: 2_000 })
    for (let i = 0; i < 2; i++) await it.dependency.call(() => Promise.reject('x')).catch(() => {})
    const calls = Array.from({ length: 1_000 }, () => watch(it.dependency.call(() => 1)))
    await it.time.run(0)
    expect(calls.every(({ state }) => state === 'rejected')).toBe(true)
    await it.time.run(1_000)
    let ran = 0
    await it.dependency.call(() => ran++)
    await it.time.run(10)
    expect([ran, it.dependency.report().breaker, it.dependency.report().inFlight]).toEqual([1, 'closed', 0])
  })

  test('B-03 a probe that ends by timeout opens it again', async () => {
    const it = await opened({ timeoutMs: 200 })
    await it.time.run(1_000)
    const probe = watch(it.dependency.call(() => new Promise<never>(() => {})))
    await it.time.run(200)
    expect(probe.state).toBe('rejected')
    expect(it.dependency.report().breaker).toBe('open')
    it.dependency.close()
  })

  test('B-18 a probe whose caller leaves gives its place to the next', async () => {
    const it = await opened()
    await it.time.run(1_000)
    const caller = new AbortController()
    watch(it.dependency.call(lasting(it, 100, 1), { signal: caller.signal }))
    caller.abort()
    expect(await it.dependency.call(() => 'next')).toBe('next')
    expect(it.dependency.report().breaker).toBe('closed')
  })

  test('B-21 B-22 B-38 a probe that the ceiling refuses gives its place back', async () => {
    const it = world({ ceiling: 3, timeoutMs: 5_000 })
    const holder = watch(it.dependency.call(lasting(it, 1_500, 1)))
    await failOnce(it)
    await failOnce(it)
    await it.time.run(1_000)
    it.apply({ ceiling: 1, timeoutMs: 5_000, breaker })
    for (let i = 0; i < 5; i++)
      await expect(it.dependency.call(() => 1)).rejects.toMatchObject({ reason: 'ceiling-reached' })
    it.apply({ ceiling: 3, timeoutMs: 5_000, breaker })
    expect(await it.dependency.call(() => 'probe')).toBe('probe')
    expect(it.dependency.report().breaker).toBe('closed')
    await it.time.run(500)
    expect(holder.state).toBe('resolved')
    expect(figuresOf(it).counters.stale).toBe(1)
  })

  test('B-38 work that throws before it gives a promise is a failed probe, not a lost one', async () => {
    const it = await opened()
    await it.time.run(1_000)
    const broken = () => {
      throw new Error('no connection')
    }
    await expect(it.dependency.call(broken)).rejects.toThrow('no connection')
    expect(it.dependency.report()).toMatchObject({ breaker: 'open', inFlight: 0 })
  })

  test('B-27 a connection that is refused while probing is a failed probe', async () => {
    const it = await opened()
    await it.time.run(1_000)
    await expect(it.dependency.call(() => Promise.reject({ code: 'ECONNREFUSED' }))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    })
    expect(it.dependency.report().breaker).toBe('open')
  })

  test('B-30a twenty answers of 400 leave it closed', async () => {
    const it = world()
    const answer = () => Promise.resolve(new Response(null, { status: 400 }))
    for (let i = 0; i < 20; i++) expect((await it.dependency.call(answer)).status).toBe(400)
    expect(it.dependency.report().breaker).toBe('closed')
    expect(figuresOf(it).counters).toMatchObject({ completed: 20 })
  })

  test('B-30c a 400 is no success: it closes no half-open breaker', async () => {
    const it = await opened()
    await it.time.run(1_000)
    await it.dependency.call(() => new Response(null, { status: 404 }))
    expect(it.dependency.report().breaker).toBe('half-open')
    await it.dependency.call(() => new Response(null, { status: 200 }))
    expect(it.dependency.report().breaker).toBe('closed')
  })

  test('O-03 local refusals are neutral: one running and three refused open nothing', async () => {
    const it = world({ ceiling: 1 })
    const one = watch(it.dependency.call(lasting(it, 10, 1)))
    for (let i = 0; i < 3; i++) watch(it.dependency.call(() => 1))
    await it.time.run(10)
    expect(one.state).toBe('resolved')
    expect(it.dependency.report().breaker).toBe('closed')
  })

  test('typed refusals of the callee open nothing, plain 5xx do', async () => {
    const typed = world({ internal: true })
    for (const status of [429, 503])
      for (let i = 0; i < 10; i++)
        await typed.dependency.call(() => new Response(null, { status, headers: { 'weir-signal': 'later' } }))
    expect(typed.dependency.report().breaker).toBe('closed')
    const plain = world()
    for (let i = 0; i < 2; i++) await plain.dependency.call(() => new Response(null, { status: 503 }))
    expect(plain.dependency.report().breaker).toBe('open')
  })

  test('a refusal by a dependency further in is neutral', async () => {
    const it = world()
    const inner = rig({ ceiling: 0 })
    for (let i = 0; i < 10; i++) await it.dependency.call(() => inner.dependency.call(() => 1)).catch(() => {})
    expect(it.dependency.report().breaker).toBe('closed')
  })

  test('B-34b the same classification holds closed and half-open', async () => {
    const classify: CallOptions<unknown>['classify'] = (end) =>
      end.ok ? SUCCESS : end.error === 'mine' ? NEUTRAL : FAILURE
    const it = await opened()
    await it.time.run(1_000)
    await it.dependency.call(() => Promise.reject('mine'), { classify }).catch(() => {})
    expect(it.dependency.report().breaker).toBe('half-open')
  })

  test('B-17d slow is measured on the injected clock', async () => {
    const it = world({ breaker: { slowCallMs: 100, slowShare: 0.5 } })
    for (let i = 0; i < 2; i++) {
      watch(it.dependency.call(lasting(it, 150, 1)))
      await it.time.run(150)
    }
    expect(it.dependency.report().breaker).toBe('open')
  })

  test('callers with hopeless deadlines do not open it for the others, a callee that hangs does', async () => {
    const it = world({ timeoutMs: 1_000 })
    for (let i = 0; i < 2; i++) {
      watch(it.dependency.call(lasting(it, 100, 1)))
      await it.time.run(100)
    }
    for (let i = 0; i < 10; i++) watch(it.dependency.call(lasting(it, 100, 1), { deadlineMs: 5 }))
    await it.time.run(100)
    expect(it.dependency.report().breaker).toBe('closed')
    for (let i = 0; i < 2; i++) watch(it.dependency.call(() => new Promise<never>(() => {}), { deadlineMs: 200 }))
    await it.time.run(200)
    expect(it.dependency.report().breaker).toBe('open')
    it.dependency.close()
  })

  test('nor do they where the work keeps the deadline by itself, and ends a moment before', async () => {
    const world = rig({ timeoutMs: 10_000, breaker: { minimumVolume: 5 } })
    for (let i = 0; i < 20; i++) {
      watch(world.dependency.call(lasting(world, 100, 'ok')))
      await world.time.run(100)
    }
    for (let i = 0; i < 100; i++) {
      const work = ({ remainingMs }: { remainingMs: number }) => failing(world, remainingMs - 0.5, 'own timeout')()
      watch(world.dependency.call(work, { deadlineMs: 5 }))
      await world.time.run(5)
    }
    expect(world.dependency.report().breaker).toBe('closed')
  })

  test('observed, it lets everything through and counts what it would have refused; so does a dependency that observes', async () => {
    for (const change of [{ breaker: { mode: 'observe' as const } }, { mode: 'observe' as const }]) {
      const it = await opened(change)
      for (let i = 0; i < 5; i++) expect(await it.dependency.call(() => i)).toBe(i)
      expect(figuresOf(it).counters).toEqual({ calls: 5, attempts: 5, completed: 5, 'would_shed breaker-open': 5 })
      expect(it.dependency.report().breaker).toBe('open')
    }
  })

  test('forced open it refuses, forced closed it never does', async () => {
    const it = world({ breaker: { mode: 'forced-open' } })
    await expect(it.dependency.call(() => 1)).rejects.toMatchObject(isOpen)
    expect(it.dependency.report()).toMatchObject({ breaker: 'open', breakerMode: 'forced-open' })
    it.apply({ breaker: { ...breaker, mode: 'forced-closed' } })
    for (let i = 0; i < 10; i++) await failOnce(it)
    expect(await it.dependency.call(() => 1)).toBe(1)
    expect(it.dependency.report().breaker).toBe('closed')
  })

  test('B-09 ten thousand dependencies that nobody holds are collected', async () => {
    const kept: WeakRef<object>[] = []
    for (let i = 0; i < 10_000; i++) kept.push(new WeakRef(rig().dependency))
    const { setFlagsFromString } = await import('node:v8')
    const { runInNewContext } = await import('node:vm')
    setFlagsFromString('--expose-gc')
    await new Promise((resolve) => setImmediate(resolve))
    runInNewContext('gc')()
    expect(kept.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(100)
  })

  test('a stop of the callee is an overload lesson for the throttle and none for the breaker', async () => {
    const it = world({ throttle: { k: 1, minimumVolume: 5, cap: 1 } })
    for (let i = 0; i < 50; i++)
      await it.dependency.call(() => Promise.reject('no'), { classify: () => refused('stop') }).catch(() => {})
    const { counters } = figuresOf(it)
    expect(counters['shed throttled']).toBeGreaterThan(20)
    expect(it.dependency.report()).toMatchObject({ breaker: 'closed', inFlight: 0 })
  })
})

describe('a failing reference', () => {
  test('B-31 one failing call is one failed call and one attempt', async () => {
    const it = world()
    watch(it.dependency.call(failing(it, 5, 'x')))
    await it.time.run(5)
    expect(figuresOf(it).counters).toEqual({ calls: 1, attempts: 1, failed: 1 })
  })
})
