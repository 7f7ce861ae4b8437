import { UNNAMED_DEPENDENCY } from '@weir/policy/model'
import { virtualRuntime } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { Dependency } from './dependency.ts'
import { WeirRefusal, WeirTimeout } from './refusal.ts'
import { failing, figuresOf, lasting, policyWith, rig, watch } from './rig.testkit.ts'
import { NEUTRAL } from './verdict.ts'

describe('a call', () => {
  it('resolves with what its work returns, later or at once, and rejects with what it throws, later or at once', async () => {
    const world = rig()
    const { dependency, time } = world
    const later = dependency.call(lasting(world, 30, 'a'))
    await time.run(30)
    expect(await later).toBe('a')
    expect(await dependency.call(() => 'b')).toBe('b')
    const bad = watch(dependency.call(failing(world, 5, 'why')))
    await time.run(5)
    expect(bad).toEqual({ state: 'rejected', error: 'why' })
    await expect(
      dependency.call(() => {
        throw new TypeError('at once')
      }),
    ).rejects.toThrow('at once')
    expect(figuresOf(world).counters).toEqual({ calls: 4, completed: 2, failed: 2, attempts: 4 })
    expect(dependency.report().inFlight).toBe(0)
  })

  it('an unnamed dependency observes: it refuses nothing, cuts nothing off and repeats nothing', async () => {
    const runtime = virtualRuntime()
    const dependency = new Dependency('new', runtime)
    let sent = 0
    const hanging = () => new Promise<never>(() => sent++)
    const calls = Array.from({ length: UNNAMED_DEPENDENCY.ceiling + 5 }, () =>
      watch(dependency.call(hanging, { idempotent: true })),
    )
    await runtime.time.run(3_600_000)
    expect(sent).toBe(UNNAMED_DEPENDENCY.ceiling + 5)
    expect(calls.every(({ state }) => state === 'pending')).toBe(true)
    const figures = figuresOf({ dependency } as never)
    expect(figures.counters['would_shed ceiling-reached']).toBe(5)
    expect(figures.counters['shed ceiling-reached']).toBeUndefined()
    dependency.close()
  })
})

describe('the ceiling', () => {
  it('B-58 refuses what is past it, and the refused work never runs', async () => {
    const world = rig({ ceiling: 3 })
    let ran = 0
    const work = () => new Promise<never>(() => ran++)
    const calls = Array.from({ length: 10 }, () => watch(world.dependency.call(work)))
    await world.time.run(0)
    expect(ran).toBe(3)
    expect(
      calls.filter(({ error }) => error instanceof WeirRefusal && error.reason === 'ceiling-reached'),
    ).toHaveLength(7)
    expect(figuresOf(world).counters['shed ceiling-reached']).toBe(7)
  })

  it('B-12b of 0 refuses everything: 0 is a value', async () => {
    await expect(rig({ ceiling: 0 }).dependency.call(() => 1)).rejects.toMatchObject({ reason: 'ceiling-reached' })
  })

  it('O-06 O-17 a timeout frees no slot: the work that still runs is a counted zombie', async () => {
    const world = rig({ ceiling: 1, timeoutMs: 50 })
    const { dependency, time } = world
    let running = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await lasting(world, 300, null)()
      running--
    }
    const calls = []
    for (let i = 0; i < 5; i++) {
      calls.push(watch(dependency.call(work)))
      await time.run(55)
    }
    expect(calls[0]?.error).toBeInstanceOf(WeirTimeout)
    expect(calls.slice(1).every(({ error }) => error instanceof WeirRefusal)).toBe(true)
    expect(figuresOf(world).gauges).toMatchObject({ in_flight: 1, zombies: 1 })
    await time.run(300)
    expect(most).toBe(1)
    expect(figuresOf(world).gauges).toMatchObject({ in_flight: 0, zombies: 0 })
  })

  it('a zombie that never ends is lost after a minute, and its later end frees nothing twice', async () => {
    const world = rig({ ceiling: 1, timeoutMs: 50 })
    const { dependency, time } = world
    watch(dependency.call(lasting(world, 200_000, null)))
    await time.run(60_049)
    expect(dependency.report().inFlight).toBe(1)
    await time.run(1)
    expect(dependency.report().inFlight).toBe(0)
    expect(figuresOf(world).counters.lost).toBe(1)
    await time.run(200_000)
    expect(dependency.report().inFlight).toBe(0)
  })

  it('B-47 failing calls with a fallback give all their slots back', async () => {
    const world = rig({ ceiling: 10, breaker: { minimumVolume: 1_000 } })
    const calls = Array.from({ length: 10 }, () =>
      world.dependency.call(failing(world, 5, 'no'), { fallback: () => 'cached' }),
    )
    await world.time.run(5)
    expect(await Promise.all(calls)).toEqual(Array(10).fill('cached'))
    expect(world.dependency.report().inFlight).toBe(0)
  })

  it('an edit of the ceiling keeps what is in use', async () => {
    const world = rig({ ceiling: 5 })
    for (let i = 0; i < 5; i++) watch(world.dependency.call(lasting(world, 100, i)))
    world.apply({ ceiling: 2 })
    await expect(world.dependency.call(() => 1)).rejects.toMatchObject({ reason: 'ceiling-reached' })
    await world.time.run(100)
    expect(await world.dependency.call(() => 1)).toBe(1)
    expect(world.dependency.report()).toMatchObject({ ceiling: 2, inFlight: 0 })
  })
})

describe('end of the process', () => {
  it('B-10 B-17g close ends what runs, refuses what comes and leaves no timer', async () => {
    const world = rig({ retry: { maxAttempts: 3, initialMs: 500 } })
    const { dependency, time } = world
    const running = watch(dependency.call(lasting(world, 5_000, 1)))
    const sleeping = watch(dependency.call(() => Promise.reject('x'), { idempotent: true }))
    await time.run(10)
    const before = time.pending
    dependency.close()
    await time.run(0)
    expect([running.error, sleeping.error]).toEqual([
      expect.objectContaining({ reason: 'draining' }),
      expect.objectContaining({ reason: 'draining' }),
    ])
    expect(before - time.pending).toBe(1)
    await expect(dependency.call(() => 1)).rejects.toMatchObject({ reason: 'draining' })
    await time.run(5_000)
    expect(time.pending).toBe(0)
    expect(dependency.report().inFlight).toBe(0)
    expect(figuresOf(world).counters).toMatchObject({ calls: 3, cancelled: 2, 'shed draining': 1 })
  })

  it('B-11 ten thousand idle dependencies have no timer, a thousand calls have one', () => {
    const runtime = virtualRuntime()
    const all = Array.from({ length: 10_000 }, (_, i) => new Dependency(`d${i}`, runtime))
    expect(runtime.time.pending).toBe(0)
    const [first] = all
    first?.apply({ policy: policyWith({ ceiling: 2_000 }), revision: 1 })
    for (let i = 0; i < 1_000; i++) watch(first?.call(() => new Promise<never>(() => {})) ?? Promise.resolve())
    expect(runtime.time.pending).toBe(1)
    first?.close()
    expect(runtime.time.pending).toBe(0)
  })
})

describe('the host', () => {
  it('a classify or discard that throws is reported, not felt', async () => {
    const world = rig({ timeoutMs: 10 })
    const classify = () => {
      throw new Error('mine')
    }
    expect(await world.dependency.call(() => 5, { classify })).toBe(5)
    const discard = classify
    watch(world.dependency.call(lasting(world, 20, 1), { discard }))
    await world.time.run(20)
    expect(world.runtime.errors.map(({ where }) => where)).toEqual(['classify of payments', 'discard of payments'])
  })

  it('a value that comes after its call is let go of', async () => {
    const world = rig({ timeoutMs: 10 })
    const dropped: string[] = []
    watch(world.dependency.call(lasting(world, 20, 'body'), { discard: (value) => dropped.push(value) }))
    await world.time.run(20)
    expect(dropped).toEqual(['body'])
  })

  it('a classification as neutral is finished work', async () => {
    const world = rig()
    expect(await world.dependency.call(() => 'not found', { classify: () => NEUTRAL })).toBe('not found')
    expect(figuresOf(world).counters).toEqual({ calls: 1, attempts: 1, completed: 1 })
  })

  it('under off nothing is counted, refused or cut off, and the fallback still answers', async () => {
    const world = rig({ mode: 'off', ceiling: 0 })
    expect(
      await world.dependency.call((attempt) => [attempt.attempt, attempt.signal.aborted, attempt.remainingMs]),
    ).toEqual([1, false, Infinity])
    expect(await world.dependency.call(() => Promise.reject('x'), { fallback: (cause) => `${cause}!` })).toBe('x!')
    const figures = figuresOf(world)
    expect([figures.counters, figures.gauges]).toEqual([{}, {}])
  })
})
