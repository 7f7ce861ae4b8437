import { describe, expect, it } from 'vitest'
import cases from '../../../../spec/windows.json' with { type: 'json' }
import { AdaptiveLimit, type LimitChange } from './limit-adaptive.ts'
import { ADAPTIVE, adaptivePolicy, feeding, learned } from './limit-feed.testkit.ts'
import type { AdaptiveAlgorithm } from './limit-steps.ts'

const each = describe.each(ADAPTIVE.map((algorithm) => ({ algorithm })))

describe('adaptive limits, from spec/windows.json', () => {
  it.each(cases.limits)('$name', ({ algorithm, initial, windows, limits }) => {
    const fed = learned(adaptivePolicy(algorithm as AdaptiveAlgorithm, { initial }), 10)
    const seen = (windows as [number, number, number][]).map(([ms, inFlight, drops]) =>
      drops < 0 ? fed.window({ ms, samples: 0 }) : fed.window({ ms, inFlight, drops, samples: 20 - drops }),
    )
    expect(seen).toEqual(limits)
  })
})

each('the guards of $algorithm', ({ algorithm }) => {
  const policy = adaptivePolicy(algorithm)

  it('grow only while at least half of the limit is used', () => {
    const fed = learned(policy, 10)
    expect(fed.windows(50, { ms: 10, inFlight: 9 }).at(-1)).toBe(20)
    expect(fed.window({ ms: 10 })).toBeGreaterThanOrEqual(20)
    expect(fed.windows(3, { ms: 10 }).at(-1)).toBeGreaterThan(20)
  })

  it('stop increases only: overload lowers an unused limit too', () => {
    expect(learned(policy, 10).window({ ms: 10, inFlight: 2, drops: 10 })).toBeLessThan(20)
  })

  it('B-40 never rise while work is slower than 1.5 times the baseline', () => {
    const fed = learned(policy, 10)
    const slots = fed.windows(200, { ms: 19 })
    for (const [i, n] of slots.entries()) expect(n).toBeLessThanOrEqual(slots[i - 1] ?? 20)
  })

  it('B-41 B-59b stay at the floor and the ceiling, whatever comes', () => {
    const low = learned(adaptivePolicy(algorithm, { floor: 10 }), 10)
    expect(Math.min(...low.windows(200, { ms: 5_000, drops: 10 }))).toBe(10)
    const high = learned(adaptivePolicy(algorithm, { ceiling: 25 }), 10)
    expect(high.windows(200, { ms: 10 }).at(-1)).toBe(25)
  })

  it('B-42a one lucky sample among many teaches nothing', () => {
    const fed = learned(policy, 10)
    const before = fed.windows(5, { ms: 10 }).at(-1) ?? 0
    fed.limit.sample(0.001, fed.limit.slots, fed.now())
    const after = fed.windows(5, { ms: 10 })
    expect(Math.min(...after)).toBeGreaterThanOrEqual(before)
  })

  it('B-42a one lucky window teaches nothing either, three in a row do', () => {
    const changes: LimitChange[] = []
    const fed = learned(adaptivePolicy(algorithm, { initial: 100 }), 10, changes)
    const baselineAfter = (lucky: number) => {
      fed.windows(lucky, { ms: 1, inFlight: 1 })
      fed.windows(1, { ms: 10, drops: 10 })
      return changes.at(-1)?.baselineMs
    }
    expect([baselineAfter(1), baselineAfter(2), baselineAfter(3)]).toEqual([10, 10, 1])
  })

  it('B-42b O-25 a round trip of 0, below 0, NaN or infinity is none', () => {
    const fed = learned(policy, 10)
    for (const ms of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      fed.windows(20, { ms, inFlight: 20 })
    expect(fed.limit.slots).toBe(20)
    expect(fed.windows(3, { ms: 10 }).at(-1)).toBeGreaterThan(20)
  })

  it('B-42c B-60b answers of overload lower it, however fast they are', () => {
    const slots = learned(policy, 10).windows(20, { ms: 1, samples: 0, drops: 20 })
    expect(slots.at(-1)).toBeLessThanOrEqual(3)
  })

  it('are not moved by a few answers of overload among many', () => {
    const fed = learned(policy, 10)
    expect(fed.windows(20, { ms: 10, samples: 98, drops: 2 }).at(-1)).toBeGreaterThan(20)
    expect(fed.window({ ms: 10, samples: 90, drops: 10 })).toBeLessThan(fed.limit.slots + 100)
  })

  it('B-44d a long incident does not become the new normal', () => {
    const fed = learned(policy, 10)
    const before = fed.windows(10, { ms: 10 }).at(-1) ?? 0
    const during = fed.windows(600, { ms: 50, waited: true })
    expect(Math.max(...during)).toBeLessThanOrEqual(before)
    const changes: LimitChange[] = []
    const quiet = learned(policy, 10, changes)
    quiet.windows(600, { ms: 50, inFlight: 15, waited: true })
    quiet.window({ ms: 50, drops: 10 })
    expect(changes.at(-1)?.baselineMs).toBe(10)
  })

  it('let the baseline rise by a tenth a minute while all is calm, and by nothing else', () => {
    const changes: LimitChange[] = []
    const fed = learned(adaptivePolicy(algorithm, { initial: 100, floor: 100 }), 10, changes)
    const baselineMs = () => {
      fed.limit.obey(adaptivePolicy(algorithm, { initial: 100, floor: 1 }), fed.now())
      fed.windows(2, { ms: 10, drops: 10 })
      return changes.at(-1)?.baselineMs ?? Number.NaN
    }
    fed.windows(300, { ms: 20, inFlight: 10, waited: true })
    fed.windows(300, { ms: 20, inFlight: 80 })
    fed.windows(300, { ms: 20, inFlight: 10, drops: 1, samples: 30 })
    fed.pressure.level = 1
    fed.windows(300, { ms: 20, inFlight: 10 })
    fed.pressure.level = 0
    expect(baselineMs()).toBe(10)
  })

  it('let the baseline rise in calm windows, slowly', () => {
    const changes: LimitChange[] = []
    const fed = learned(adaptivePolicy(algorithm, { initial: 100 }), 10, changes)
    fed.windows(50, { ms: 20, inFlight: 10 })
    fed.window({ ms: 20, drops: 10 })
    expect(changes.at(-1)?.baselineMs).toBeGreaterThan(10.5)
    expect(changes.at(-1)?.baselineMs).toBeLessThan(11.05)
  })

  it('B-59a resume after a quiet hour', () => {
    const fed = learned(policy, 10)
    fed.window({ ms: 10, samples: 1 })
    fed.pass(3_600_000)
    expect(fed.limit.slots).toBe(20)
    expect(fed.windows(6, { ms: 10 }).at(-1)).toBeGreaterThan(20)
  })

  it('B-59c work begun under another algorithm teaches nothing', () => {
    const other = algorithm === 'aimd' ? 'vegas' : 'aimd'
    const fed = learned(adaptivePolicy(other), 10)
    fed.limit.obey(policy, fed.now())
    for (let i = 0; i < 50; i++) fed.limit.sample(5_000, 20, fed.now() + 20 * i)
    expect(fed.limit.slots).toBe(20)
  })

  it('B-59f has a floor of its own, apart from where it begins', () => {
    const fed = learned(adaptivePolicy(algorithm, { floor: 3, initial: 100 }), 10)
    expect(fed.limit.slots).toBe(100)
    expect(fed.windows(100, { ms: 10, drops: 20 }).at(-1)).toBe(3)
  })

  it('take lateness for overload only where the work itself was slow', () => {
    const fed = learned(policy, 10)
    const late = (ms: number) => {
      for (let i = 0; i < 60; i++) {
        fed.pass(100)
        fed.limit.overrun(ms, fed.limit.slots, fed.now())
      }
      return fed.limit.slots
    }
    const healthy = late(10)
    expect(healthy).toBeGreaterThanOrEqual(20)
    expect(late(100)).toBeLessThan(healthy)
  })

  it('grow back quickly after a collapse, and not past where it began', () => {
    const fed = learned(adaptivePolicy(algorithm, { initial: 200 }), 10)
    expect(fed.windows(80, { ms: 10, samples: 0, drops: 20 }).at(-1)).toBeLessThanOrEqual(4)
    const back = fed.windows(15, { ms: 10 })
    expect(back.at(-1)).toBeGreaterThanOrEqual(180)
    expect(back.at(-1)).toBeLessThanOrEqual(280)
  })
})

describe('an adaptive limit', () => {
  it('tells each change with all that decided it', () => {
    const changes: LimitChange[] = []
    const fed = learned(adaptivePolicy('aimd'), 10, changes)
    fed.window({ ms: 10 })
    fed.window({ ms: 10, drops: 5, samples: 15, waited: true })
    expect(changes).toHaveLength(2)
    expect(changes[1]).toMatchObject({ from: 21, to: 18, samples: 15, drops: 5, overruns: 0, waited: true, level: 0 })
    expect(changes[0]).toMatchObject({
      algorithm: 'aimd',
      shadow: false,
      from: 20,
      to: 21,
      medianMs: 10,
      baselineMs: 10,
      gradient: 1,
      inFlight: 20,
      peak: 20,
    })
  })

  it('only measures in its first window: what ends first is what was quick', () => {
    const changes: LimitChange[] = []
    const listener = (change: LimitChange) => changes.push(change)
    const fed = feeding(new AdaptiveLimit(adaptivePolicy('gradient2'), 20, { level: 0 }, () => 0, listener))
    expect(fed.window({ ms: 1 })).toBe(20)
    fed.windows(4, { ms: 10, inFlight: 1 })
    fed.pass(60_000)
    fed.window({ ms: 50 })
    expect([fed.limit.slots, changes]).toEqual([20, []])
    fed.windows(2, { ms: 50 })
    expect(changes[0]).toMatchObject({ baselineMs: 10, gradient: 0.5 })
  })

  it('begins within its bounds', () => {
    const at = (limit: number) =>
      new AdaptiveLimit(adaptivePolicy('aimd', { floor: 5, ceiling: 9 }), limit, { level: 0 }, Math.random, () => {})
    expect([at(1).slots, at(7).slots, at(100).slots]).toEqual([5, 7, 9])
    expect(feeding(at(7)).window({ ms: 1, samples: 0 })).toBe(7)
  })
})
