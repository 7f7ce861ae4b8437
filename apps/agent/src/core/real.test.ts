import { performance as clock } from 'node:perf_hooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { realClock, realTimers } from './real.ts'

/** Node's own timers on false time: what is under test is when ours call back. */
describe('real timers', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    vi.spyOn(clock, 'now').mockImplementation(() => performance.now())
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  it.each([2 ** 31 - 1, 2 ** 31, 2 ** 31 + 5, 2 ** 33])(
    'B-75a B-75b a delay of %d ms is waited for in full',
    (delay) => {
      let fired = 0
      realTimers.set(() => fired++, delay)
      vi.advanceTimersByTime(delay - 1)
      expect(fired).toBe(0)
      vi.advanceTimersByTime(1)
      expect(fired).toBe(1)
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it('B-77 a timer that Node fires early is armed again', () => {
    const start = realClock.now()
    let firedAt = Number.NaN
    const early = vi.spyOn(performance, 'now')
    realTimers.set(() => {
      firedAt = realClock.now()
    }, 10)
    early.mockReturnValueOnce(start + 9.4)
    vi.advanceTimersByTime(10)
    expect(firedAt).toBeNaN()
    vi.advanceTimersByTime(1)
    expect(firedAt - start).toBeGreaterThanOrEqual(10)
    early.mockRestore()
  })

  it('a cleared timer does not fire, also after it was armed again', () => {
    let fired = 0
    const handle = realTimers.set(() => fired++, 2 ** 31 + 10)
    vi.advanceTimersByTime(2 ** 31)
    realTimers.clear(handle)
    vi.advanceTimersByTime(1_000)
    expect(fired).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
    realTimers.clear(undefined)
  })

  it.each([Number.NaN, -5, 0])('a delay of %d means now', (delay) => {
    let fired = 0
    realTimers.set(() => fired++, delay)
    vi.advanceTimersByTime(1)
    expect(fired).toBe(1)
  })
})
