import { describe, expect, it } from 'vitest'
import { asking, bench, full, gatePolicy, permitOf, settings } from './gate.testkit.ts'

describe('a policy that changes while work waits', () => {
  it('hands the slots of a higher limit over at once', async () => {
    const { gate, ask, words } = full()
    for (const name of ['a', 'b', 'c']) ask(name)
    gate.apply(settings(gatePolicy({ limit: 3 })))
    expect(await words()).toEqual({ a: 'accepted', b: 'accepted' })
    expect(gate.report()).toMatchObject({ active: 3, waiting: 1, limit: 3 })
  })

  it('starts nobody while a lower limit is still exceeded', async () => {
    const { gate } = bench(settings(gatePolicy({ limit: 3 })))
    const { ask, words } = asking(gate)
    const held = [1, 2, 3].map(() => permitOf(gate.tryAcquire({})))
    ask('a')
    gate.apply(settings(gatePolicy({ limit: 1 })))
    held[0]?.success()
    held[1]?.success()
    expect(await words()).toEqual({})
    held[2]?.success()
    expect(await words()).toEqual({ a: 'accepted' })
  })

  it('a shorter longest wait holds for those that wait already, a longer one too', async () => {
    const { gate, runtime, ask, words } = full({ queue: { maxWaitMs: 100 } })
    ask('a')
    gate.apply(settings(gatePolicy({ limit: 1, queue: { maxWaitMs: 200 } })))
    runtime.time.advance(150)
    ask('b')
    expect(await words()).toEqual({})
    gate.apply(settings(gatePolicy({ limit: 1, queue: { maxWaitMs: 160 } })))
    runtime.time.advance(10)
    expect(await words()).toEqual({ a: 'queue-timeout' })
  })

  it('a longer longest wait may change who must leave first', async () => {
    const { gate, runtime, ask, words } = full({ queue: { maxWaitMs: 100 } })
    ask('patient')
    runtime.time.advance(10)
    ask('hurried', { deadlineMs: 140 })
    gate.apply(settings(gatePolicy({ limit: 1, queue: { maxWaitMs: 1_000 } })))
    runtime.time.advance(140)
    expect(await words()).toEqual({ hurried: 'expired-in-queue' })
    runtime.time.advance(850)
    expect(await words()).toEqual({ hurried: 'expired-in-queue', patient: 'queue-timeout' })
  })

  it.each(['observe', 'off'] as const)(
    'mode %s lets those start too whom its shorter longest wait is over for',
    async (mode) => {
      const { gate, runtime, ask, words } = full({ queue: { maxWaitMs: 100 } })
      ask('a')
      runtime.time.advance(50)
      gate.apply(settings(gatePolicy({ limit: 1, mode, queue: { maxWaitMs: 0 } })))
      expect(await words()).toEqual({ a: 'accepted' })
    },
  )

  it.each(['observe', 'off'] as const)('mode %s lets all that wait start', async (mode) => {
    const { gate, ask, words, figures } = full()
    for (const name of ['a', 'b']) ask(name)
    gate.apply(settings(gatePolicy({ limit: 1, mode })))
    expect(await words()).toEqual({ a: 'accepted', b: 'accepted' })
    expect([figures().sum('offered'), figures().sum('accepted')]).toEqual([3, 3])
  })

  it('refusals carry the new revision, and are booked under the one that they were decided by', async () => {
    const { gate, figures } = full()
    gate.tryAcquire({})
    gate.apply(settings(gatePolicy({ limit: 1 }), { revision: 2 }))
    const entry = gate.tryAcquire({})
    gate.tryAcquire({})
    expect(entry).toMatchObject({ revision: 2 })
    const shed = (revision: number) => figures().sum('shed', { revision, reason: 'limit-reached' })
    expect([shed(1), shed(2)]).toEqual([1, 2])
  })
})
