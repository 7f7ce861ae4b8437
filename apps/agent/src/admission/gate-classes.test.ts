import { settled } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { asking, bench, gatePolicy, permitOf, quota, said, settings } from './gate.testkit.ts'
import type { Entry, Permit, Work } from './gate.ts'

const reserved = (reserves: Record<string, number>, parts: Parameters<typeof gatePolicy>[0] = {}) =>
  gatePolicy({
    limit: 4,
    ...parts,
    classes: {
      reserves: { 'critical-plus': 0, critical: 0, 'sheddable-plus': 0, sheddable: 0, ...reserves },
      ...parts.classes,
    },
  })
const low: Work = { criticality: 'sheddable' }
const high: Work = { criticality: 'critical' }

describe('classes with reserves', () => {
  it('B-43b a class that floods borrows idle slots only: a class with a reserve gets the freed slot before any borrower', async () => {
    const { gate } = bench(settings(reserved({ critical: 0.25 })))
    const { ask, words, answers } = asking(gate)
    const running = Array.from({ length: 4 }, () => permitOf(gate.tryAcquire(low)))
    ask('low first', low)
    ask('high', high)
    running[0]?.success()
    expect(await words()).toEqual({ high: 'accepted' })
    permitOf(answers.high as Entry).success()
    expect(said(gate.tryAcquire(low))).toBe('limit-reached')
    expect(await words()).toEqual({ high: 'accepted' })
  })

  it('B-43b without a share it waits its turn, and has one within its bound', async () => {
    const { gate, runtime } = bench(settings(reserved({}, { limit: 1, queue: { maxWaitMs: 1_000 } })))
    let running = permitOf(gate.tryAcquire(high))
    const { ask, answers, words } = asking(gate)
    ask('low', low)
    for (let i = 0; i < 80; i++) ask(`high ${i}`, high)
    let served = 0
    while (!answers.low) {
      runtime.time.advance(10)
      running.success()
      await settled()
      const name = Object.keys(answers)[served++] as string
      running = permitOf(answers[name] as Entry)
    }
    expect(served).toBeLessThanOrEqual(60)
    expect((await words()).low).toBe('accepted')
  })

  it('B-54a a class that arrives as fast as it is served does not keep a reserved one out at all', async () => {
    const { gate } = bench(settings(reserved({ sheddable: 0.25 })))
    const running: Permit[] = Array.from({ length: 4 }, () => permitOf(gate.tryAcquire(high)))
    const { ask, words } = asking(gate)
    for (let i = 0; i < 20; i++) ask(`${i}`, high)
    ask('low', low)
    running[0]?.success()
    expect(await words()).toEqual({ low: 'accepted' })
  })

  it('work that cannot wait has its reserve back after the first refusal, while it keeps coming', () => {
    const { gate, runtime } = bench(settings(reserved({ critical: 0.5 })))
    const running = Array.from({ length: 4 }, () => permitOf(gate.tryAcquire(low)))
    expect(said(gate.tryAcquire(high))).toBe('limit-reached')
    running.pop()?.success()
    expect(said(gate.tryAcquire(low))).toBe('limit-reached')
    for (let i = 0; i < 50; i++) {
      runtime.time.advance(100)
      permitOf(gate.tryAcquire(high)).success()
      expect(said(gate.tryAcquire(low))).toBe('limit-reached')
    }
    runtime.time.advance(2_000)
    const first = said(gate.tryAcquire(low))
    runtime.time.advance(1_000)
    expect([first, said(gate.tryAcquire(low))]).toContain('accepted')
  })

  it('strict reserves are never lent', () => {
    const { gate } = bench(settings(reserved({ critical: 0.5 }, { classes: { strict: true } })))
    const words = Array.from({ length: 3 }, () => said(gate.tryAcquire(low)))
    expect(words).toEqual(['accepted', 'accepted', 'limit-reached'])
    expect(Array.from({ length: 3 }, () => said(gate.tryAcquire(high)))).toEqual([
      'accepted',
      'accepted',
      'limit-reached',
    ])
  })

  it('T4 totals stay bounded: a class over its reserve leaves no more than the limit to all', () => {
    const { gate } = bench(settings(reserved({ critical: 0.7, sheddable: 0.3 }, { limit: 10 })))
    for (let i = 0; i < 10; i++) expect(said(gate.tryAcquire(low))).toBe('accepted')
    for (let i = 0; i < 20; i++) expect(said(gate.tryAcquire(high))).toBe('limit-reached')
    expect(gate.report().active).toBe(10)
  })

  it('one that waits for a slot that is kept for others starts once it is lent, without anybody else coming', async () => {
    const { gate, runtime } = bench(settings(reserved({ critical: 0.5 }, { limit: 4, queue: { maxWaitMs: 5_000 } })))
    const running = Array.from({ length: 4 }, () => permitOf(gate.tryAcquire(low)))
    gate.tryAcquire(high)
    running.pop()?.success()
    const { ask, words } = asking(gate)
    ask('low', low)
    expect(await words()).toEqual({})
    await runtime.time.run(3_000)
    expect(await words()).toEqual({ low: 'accepted' })
  })

  it('a policy that brings reserves counts what runs already', () => {
    const { gate } = bench(settings(reserved({})))
    const running = Array.from({ length: 4 }, () => permitOf(gate.tryAcquire(low)))
    gate.apply(settings(reserved({ critical: 0.5 }, { classes: { strict: true } })))
    running.pop()?.success()
    expect([said(gate.tryAcquire(low)), said(gate.tryAcquire(high))]).toEqual(['limit-reached', 'accepted'])
  })
})

describe('a level', () => {
  it('n sheds the n lowest classes down to their reserves, never below', () => {
    const { gate } = bench(settings(reserved({ 'sheddable-plus': 0.25 }, { limit: 8 })))
    gate.level = 2
    const words = (work: Work, times: number) => Array.from({ length: times }, () => said(gate.tryAcquire(work)))
    expect(words(low, 1)).toEqual(['class-shed'])
    expect(words({ criticality: 'sheddable-plus' }, 3)).toEqual(['accepted', 'accepted', 'class-shed'])
    expect(words(high, 6).every((word) => word === 'accepted')).toBe(true)
    gate.level = 0
    expect(words(low, 1)).toEqual(['limit-reached'])
  })

  it('turns away those that wait beyond their class’s reserve, the rest may use it', async () => {
    const { gate } = bench(settings(reserved({ sheddable: 0.25 }, { limit: 4 })))
    const running = Array.from({ length: 4 }, () => permitOf(gate.tryAcquire(high)))
    const { ask, words } = asking(gate)
    for (let i = 0; i < 3; i++) ask(`low ${i}`, low)
    ask('plus', { criticality: 'sheddable-plus' })
    gate.level = 2
    ask('late', low)
    running[0]?.success()
    running[1]?.success()
    expect(await words()).toEqual({
      late: 'class-shed',
      'low 0': 'accepted',
      'low 1': 'class-shed',
      'low 2': 'class-shed',
      plus: 'class-shed',
    })
  })

  it('is only counted while observing', () => {
    const { gate, figures } = bench(settings(reserved({}, { mode: 'observe' })))
    gate.level = 4
    expect(said(gate.tryAcquire(high))).toBe('accepted')
    expect(figures().sum('would_shed', { reason: 'class-shed' })).toBe(1)
  })

  it('keeps the books of what it turns away', async () => {
    const { gate, figures } = bench(settings(reserved({}, { limit: 1 }), { quotas: { t: quota({ concurrency: 2 }) } }))
    permitOf(gate.tryAcquire({ ...high, tenant: 't' }))
    const { ask, words } = asking(gate)
    ask('waits', { ...low, tenant: 't' })
    gate.level = 1
    gate.apply(settings(reserved({}, { limit: 1 }), { quotas: { t: quota({ concurrency: 2 }) } }))
    expect(await words()).toEqual({ waits: 'class-shed' })
    expect(figures().sum('shed', { reason: 'class-shed' })).toBe(1)
    gate.level = 0
    ask('again', { ...low, tenant: 't' })
    expect(gate.report().waiting).toBe(1)
  })
})
