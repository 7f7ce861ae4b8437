import { virtualRuntime } from '@weir/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Schedule, type Scheduled } from './schedule.ts'

const entry = (onDue: (now: number) => void, onClose = () => {}): Scheduled => ({
  at: 0,
  heapIndex: -1,
  onDue,
  onClose,
})

describe('schedule', () => {
  it('runs each entry at its own moment, in order, with one timer, whatever was put, moved and removed', () => {
    const plan = fc.array(
      fc.record({ at: fc.integer({ min: 0, max: 1_000 }), act: fc.constantFrom('keep', 'remove', 'move') }),
    )
    fc.assert(
      fc.property(plan, (plans) => {
        const runtime = virtualRuntime()
        const schedule = new Schedule(runtime)
        const due: { at: number; now: number }[] = []
        const expected: number[] = []
        const entries = plans.map(({ at }) => {
          const one: Scheduled = entry((now) => due.push({ at: one.at, now }))
          schedule.put(one, at, 0)
          return one
        })
        for (const [i, { at, act }] of plans.entries()) {
          const one = entries[i]
          if (!one) continue
          if (act === 'remove') schedule.remove(one)
          if (act === 'move') schedule.put(one, 1_000 - at, 0)
          if (act !== 'remove') expected.push(act === 'move' ? 1_000 - at : at)
          expect(runtime.time.pending).toBeLessThanOrEqual(1)
        }
        expect(schedule.size).toBe(expected.length)
        runtime.time.advance(1_000)
        expect(due.map(({ now }) => now)).toEqual(expected.sort((a, b) => a - b))
        expect(due.every(({ at, now }) => at === now)).toBe(true)
        expect([schedule.size, runtime.time.pending]).toEqual([0, 0])
      }),
    )
  })

  it('B-77 a timer that fires early is set again', () => {
    const runtime = virtualRuntime()
    const early = {
      ...runtime,
      timers: {
        set: (fire: () => void, ms: number) => runtime.time.set(fire, ms > 1 ? ms - 0.6 : ms),
        clear: runtime.time.clear,
      },
    }
    const seen: number[] = []
    const schedule = new Schedule(early)
    schedule.put(
      entry((now) => seen.push(now)),
      10,
      0,
    )
    runtime.time.advance(9.5)
    expect(seen).toEqual([])
    runtime.time.advance(5)
    expect(seen).toHaveLength(1)
    expect(seen[0]).toBeGreaterThanOrEqual(10)
  })

  it('an entry that throws is reported and stops no other', () => {
    const runtime = virtualRuntime()
    const schedule = new Schedule(runtime)
    const seen: string[] = []
    schedule.put(
      entry(() => {
        throw new Error('mine')
      }),
      5,
      0,
    )
    schedule.put(
      entry(() => seen.push('next')),
      5,
      0,
    )
    runtime.time.advance(5)
    expect([seen, runtime.errors.length]).toEqual([['next'], 1])
  })

  it('never is a moment that needs no timer, and close tells it all the same', () => {
    const runtime = virtualRuntime()
    const schedule = new Schedule(runtime)
    let closed = 0
    schedule.put(
      entry(
        () => {},
        () => closed++,
      ),
      Infinity,
      0,
    )
    expect(runtime.time.pending).toBe(0)
    schedule.close()
    expect([closed, schedule.size]).toEqual([1, 0])
  })
})
