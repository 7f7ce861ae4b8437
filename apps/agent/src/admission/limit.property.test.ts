import { seededRandom, virtualRuntime } from '@weir/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ADAPTIVE, adaptivePolicy } from './limit-feed.testkit.ts'
import { LiveLimit } from './limit-live.ts'
import { Mishaps } from './mishaps.ts'

const mishaps = new Mishaps('gate', virtualRuntime())

const anyNumber = fc.oneof(
  fc.double(),
  fc.double({ min: 0, max: 2_000, noNaN: true }),
  fc.constantFrom(0, -0, -1, Number.NaN, Infinity, -Infinity, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53),
)
const step = fc.record({
  kind: fc.constantFrom('sample', 'sample', 'sample', 'overrun', 'drop', 'waited', 'level', 'obey', 'shadow'),
  ms: anyNumber,
  inFlight: fc.oneof(anyNumber, fc.integer({ min: 0, max: 2_000 })),
  passed: fc.double({ min: 0, max: 60_000, noNaN: true }),
  repeat: fc.integer({ min: 1, max: 40 }),
  algorithm: fc.constantFrom(...ADAPTIVE),
  bounds: fc.tuple(
    fc.integer({ min: 1, max: 300 }),
    fc.integer({ min: 1, max: 300 }),
    fc.integer({ min: 1, max: 300 }),
  ),
})

describe('an adaptive limit under any sequence of samples', () => {
  it('O-25 is a whole number between its floor and its ceiling', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer(), (steps, seed) => {
        const pressure = { level: 0 }
        let policy = adaptivePolicy('gradient2', { floor: 3, ceiling: 100 })
        const limit = new LiveLimit(policy, pressure, seededRandom(seed), mishaps)
        let nowMs = 0
        for (const { kind, ms, inFlight, passed, repeat, algorithm, bounds } of steps) {
          for (let i = 0; i < repeat; i++) {
            nowMs += passed / repeat
            if (kind === 'sample') limit.sample(ms, inFlight, nowMs)
            else if (kind === 'overrun') limit.overrun(ms, inFlight, nowMs)
            else if (kind === 'drop') limit.drop(inFlight, nowMs)
          }
          if (kind === 'waited') limit.waited()
          if (kind === 'level') pressure.level = repeat % 5
          if (kind === 'shadow') limit.shadow(repeat % 2 ? adaptivePolicy(algorithm) : null)
          if (kind === 'obey') {
            const [floor = 1, initial = 1, ceiling = 1] = bounds.toSorted((a, b) => a - b)
            policy = { algorithm, floor, initial, ceiling }
            limit.obey(policy, nowMs)
          }
          expect(Number.isInteger(limit.slots)).toBe(true)
          expect(limit.slots).toBeGreaterThanOrEqual(policy.floor)
          expect(limit.slots).toBeLessThanOrEqual(policy.ceiling)
        }
      }),
      { numRuns: 400 },
    )
  })

  it('still learns after any of them', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const limit = new LiveLimit(adaptivePolicy('aimd', { initial: 50 }), { level: 0 }, Math.random, mishaps)
        let nowMs = 0
        for (const { kind, ms, inFlight, passed } of steps) {
          nowMs += passed
          if (kind === 'drop') limit.drop(inFlight, nowMs)
          else limit.sample(ms, inFlight, nowMs)
        }
        for (let i = 1; i <= 200; i++) limit.drop(10, nowMs + 20 * i)
        expect(limit.slots).toBeLessThan(50)
      }),
      { numRuns: 200 },
    )
  })
})
