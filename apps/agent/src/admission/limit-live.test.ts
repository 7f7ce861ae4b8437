import { type ConcurrencyPolicy, unnamedGate } from '@weir/policy/model'
import { virtualRuntime } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import type { LimitChange } from './limit-adaptive.ts'
import { ADAPTIVE, adaptivePolicy, feeding } from './limit-feed.testkit.ts'
import { LiveLimit } from './limit-live.ts'
import { Mishaps } from './mishaps.ts'

const fixed = (initial: number) => ({ algorithm: 'fixed' as const, floor: 1, initial, ceiling: initial })
const live = (policy: ConcurrencyPolicy, runtime = virtualRuntime()) =>
  feeding(new LiveLimit(policy, { level: 0 }, () => 0, new Mishaps('gate', runtime)))

describe('a limit through its policies', () => {
  it('keeps its value when the algorithm or the bounds change, as far as the bounds allow', () => {
    const fed = live(adaptivePolicy('aimd'))
    fed.windows(12, { ms: 10 })
    const grown = fed.limit.slots
    expect(grown).toBeGreaterThan(25)
    for (const algorithm of ADAPTIVE) {
      fed.limit.obey(adaptivePolicy(algorithm, { initial: 3 }), fed.now())
      expect(fed.limit.slots).toBe(grown)
    }
    fed.limit.obey(adaptivePolicy('vegas', { ceiling: 22 }), fed.now())
    expect(fed.limit.slots).toBe(22)
    fed.limit.obey(adaptivePolicy('vegas', { floor: 24 }), fed.now())
    expect(fed.limit.slots).toBe(24)
  })

  it('keeps what it learned when the policy comes again', () => {
    const changes: LimitChange[] = []
    const fed = live(adaptivePolicy('gradient2', { initial: 100 }))
    fed.limit.onChange((change) => changes.push(change))
    fed.windows(5, { ms: 10 })
    fed.limit.obey(adaptivePolicy('gradient2', { initial: 100 }), fed.now())
    fed.windows(3, { ms: 40 })
    expect(changes.at(-1)).toMatchObject({ baselineMs: 10, gradient: 0.5 })
  })

  it('begins an adaptive limit at the fixed one, and a fixed one where it says', () => {
    const fed = live(fixed(30))
    fed.windows(5, { ms: 10, drops: 10 })
    expect(fed.limit.slots).toBe(30)
    fed.limit.obey(adaptivePolicy('aimd', { initial: 7 }), fed.now())
    expect(fed.limit.slots).toBe(30)
    fed.limit.obey(fixed(12), fed.now())
    expect(fed.limit.slots).toBe(12)
    fed.limit.obey({ ...fixed(12), initial: 0 }, fed.now())
    expect(fed.limit.slots).toBe(1)
  })

  it('begins at its own after the limit of a gate that no policy named', () => {
    const fed = live(unnamedGate('checkout').concurrency)
    fed.limit.obey(adaptivePolicy('vegas', { initial: 14 }), fed.now())
    expect(fed.limit.slots).toBe(14)
  })

  it('lets a shadow see the same and decide nothing', () => {
    const changes: LimitChange[] = []
    const fed = live(fixed(20))
    expect(fed.limit.shadowSlots).toBeNull()
    fed.limit.shadow(adaptivePolicy('aimd'))
    fed.limit.onChange((change) => changes.push(change))
    fed.windows(6, { ms: 10 })
    expect(fed.limit.slots).toBe(20)
    expect(fed.limit.shadowSlots).toBeGreaterThan(22)
    expect(changes.every(({ shadow }) => shadow)).toBe(true)
    fed.limit.obey(adaptivePolicy('aimd', { initial: 20 }), fed.now())
    expect(fed.limit.shadowSlots).toBeGreaterThan(22)
    fed.windows(3, { ms: 10, drops: 20 })
    expect(fed.limit.slots).toBeLessThan(20)
    fed.limit.shadow(null)
    expect(fed.limit.shadowSlots).toBeNull()
  })

  it('survives a listener that throws, hears no more after its end, and bounds their number', () => {
    const runtime = virtualRuntime()
    const { errors } = runtime
    const fed = live(adaptivePolicy('aimd'), runtime)
    const stop = fed.limit.onChange(() => {
      throw new Error('listener')
    })
    fed.windows(5, { ms: 10 })
    const heard = errors.length
    expect(heard).toBeGreaterThan(0)
    stop()
    fed.windows(5, { ms: 10 })
    expect(errors).toHaveLength(heard)
    let calls = 0
    for (let i = 0; i < 20; i++) fed.limit.onChange(() => void calls++)
    fed.window({ ms: 10, drops: 20 })
    expect(calls).toBe(16)
  })
})
