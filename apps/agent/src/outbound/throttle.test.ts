import { seededRandom } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import cases from '../../../../spec/throttle.json' with { type: 'json' }
import { rejectProbability, Throttle } from './throttle.ts'

const policy = { k: 2, minimumVolume: 10, cap: 0.9 }
const always = () => 0

describe('throttle', () => {
  it.each(cases.probability)('$requests requests, $accepts accepts, k $k: $p', ({ requests, accepts, k, cap, p }) => {
    expect(rejectProbability(requests, accepts, k, cap)).toBeCloseTo(p, 4)
  })

  it('B-70c never refuses under the minimum volume', () => {
    const throttle = new Throttle(0)
    for (let i = 0; i < 9; i++) throttle.record(0, false)
    expect(throttle.refuses(0, policy, always)).toBe(false)
    throttle.record(0, false)
    expect(throttle.refuses(0, policy, always)).toBe(true)
  })

  it('never refuses while the callee accepts half of what comes, at k = 2', () => {
    const throttle = new Throttle(0)
    for (let i = 0; i < 100; i++) throttle.record(0, i % 2 === 0)
    expect(throttle.refuses(0, policy, always)).toBe(false)
  })

  it('lets a trickle through whatever the callee does, and forgets after two minutes', () => {
    const throttle = new Throttle(0)
    const random = seededRandom(5)
    for (let i = 0; i < 10_000; i++) throttle.record(0, false)
    const passed = Array.from({ length: 10_000 }, () => throttle.refuses(0, policy, random)).filter((no) => !no).length
    expect(passed / 10_000).toBeGreaterThan(0.08)
    expect(passed / 10_000).toBeLessThan(0.12)
    expect(throttle.refuses(120_000, policy, always)).toBe(false)
  })
})
