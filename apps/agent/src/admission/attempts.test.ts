import { describe, expect, it } from 'vitest'
import { Attempts } from './attempts.ts'
import { bench, gatePolicy, permitOf, settings } from './gate.testkit.ts'

const seen = (attempts: Attempts, first: number, again: number): void => {
  for (let i = 0; i < first; i++) attempts.count(1)
  for (let i = 0; i < again; i++) attempts.count(2)
}

describe('the collective signal', () => {
  it.each([
    [19, 0, 'elsewhere'],
    [9, 10, 'elsewhere'],
    [96, 4, 'elsewhere'],
    [95, 5, 'later'],
    [10, 1, 'elsewhere'],
    [100, 9, 'later'],
    [50, 10, 'later'],
    [49, 10, 'stop'],
    [0, 50, 'stop'],
  ])('%i first attempts and %i others say %s', (first, again, signal) => {
    const attempts = new Attempts()
    attempts.look(0)
    seen(attempts, first, again)
    attempts.look(1_000)
    expect(attempts.signal).toBe(signal)
  })

  it('turns from elsewhere to later to stop as the pool fills with retries, and back with hysteresis', () => {
    const attempts = new Attempts()
    let nowMs = 0
    const share = (percent: number): string => {
      for (let i = 0; i < 80; i++) {
        seen(attempts, 100 - percent, percent)
        nowMs += 1_000
        attempts.look(nowMs)
      }
      return attempts.signal
    }
    expect([0, 3, 6, 3, 20, 12, 8, 3, 2].map(share)).toEqual([
      'elsewhere',
      'elsewhere',
      'later',
      'later',
      'stop',
      'stop',
      'later',
      'later',
      'elsewhere',
    ])
  })

  it('forgets within a minute of silence', () => {
    const attempts = new Attempts()
    seen(attempts, 0, 100)
    attempts.look(1_000)
    expect(attempts.signal).toBe('stop')
    attempts.look(61_000)
    attempts.look(62_000)
    expect(attempts.signal).toBe('elsewhere')
  })

  it('B-74c a replica whose trusted callers retry says stop where it has no room; strangers are not believed', () => {
    const pressed = (caller: { caller?: string }) => {
      const { gate, runtime } = bench(settings(gatePolicy({ limit: 1 })))
      for (let i = 0; i < 50; i++) permitOf(gate.tryAcquire({ attempt: 3, ...caller })).success()
      runtime.time.advance(1_000)
      permitOf(gate.tryAcquire({})).success()
      permitOf(gate.tryAcquire({}))
      return gate
    }
    expect(pressed({}).tryAcquire({})).toMatchObject({ reason: 'limit-reached', signal: 'elsewhere' })
    const gate = pressed({ caller: 'checkout' })
    expect(gate.tryAcquire({})).toMatchObject({ reason: 'limit-reached', signal: 'stop' })
    gate.drain()
    expect(gate.tryAcquire({})).toMatchObject({ reason: 'draining', signal: 'elsewhere' })
  })
})
