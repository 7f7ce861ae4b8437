import { seededRandom } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import type { Sample, Sampler } from '../core/sampling.ts'
import { SampleRate } from './sample-rate.ts'

const unseen = (): Sample => ({
  traceparent: '',
  decided: () => undefined,
  started: () => undefined,
  end: () => undefined,
})

/** Lets `perSecond` decisions pass for some seconds; the adjusted counts of each second. */
const seconds = (rate: SampleRate, sampler: Sampler, perSecond: number, count: number): number[][] =>
  Array.from({ length: count }, () => {
    const taken: number[] = []
    for (let i = 0; i < perSecond; i++) {
      const adjustedCount = sampler.next()
      if (adjustedCount > 0) taken.push(adjustedCount)
    }
    rate.refill()
    return taken
  })
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

describe('the rate of samples', () => {
  it('takes all of a trickle, each for itself', () => {
    const rate = new SampleRate(seededRandom(1), 10)
    expect(seconds(rate, rate.sampler(unseen), 4, 3)).toEqual(Array(3).fill([1, 1, 1, 1]))
  })

  it.each([1, 7, 11, 100, 9_999, 200_000])('is bounded at %i decisions a second, and near what it may be', (load) => {
    const rate = new SampleRate(seededRandom(load), 10)
    const taken = seconds(rate, rate.sampler(unseen), load, 40)
    for (const second of taken) expect(second.length).toBeLessThanOrEqual(10)
    expect(sum(taken.map(({ length }) => length)) / 40).toBeGreaterThan(Math.min(load, 10) * 0.5)
  })

  it('stands for everything that was decided up to the last sample', () => {
    const rate = new SampleRate(seededRandom(5), 10)
    const sampler = rate.sampler(unseen)
    let decided = 0
    let told = 0
    for (let i = 0; i < 300_000; i++) {
      decided++
      const adjustedCount = sampler.next()
      told += adjustedCount
      if (adjustedCount > 0) expect(told).toBe(decided)
      if (i % 5_000 === 0) rate.refill()
    }
    expect(told).toBeGreaterThan(290_000)
  })

  it('tells shares as they are, also of work that comes in a rhythm', () => {
    const rate = new SampleRate(seededRandom(9), 10)
    const sampler = rate.sampler(unseen)
    let told = 0
    let refused = 0
    for (let i = 0; i < 2_000_000; i++) {
      const adjustedCount = sampler.next()
      told += adjustedCount
      if (i % 4 === 0) refused += adjustedCount
      if (i % 2_000 === 0) rate.refill()
    }
    expect(refused / told).toBeGreaterThan(0.23)
    expect(refused / told).toBeLessThan(0.27)
  })

  it('finds back to a trickle after a flood', () => {
    const rate = new SampleRate(seededRandom(3), 10)
    const sampler = rate.sampler(unseen)
    seconds(rate, sampler, 1_000_000, 2)
    const after = seconds(rate, sampler, 5, 10)
    expect(after.slice(2).map(({ length }) => length)).toEqual(Array(8).fill(5))
  })

  it('is shared: a busy gate leaves room for a quiet one, and an idle one takes none', () => {
    const rate = new SampleRate(seededRandom(4), 10)
    const [busy, quiet] = [rate.sampler(unseen), rate.sampler(unseen)]
    rate.sampler(unseen)
    const counts = [0, 0]
    for (let second = 0; second < 100; second++) {
      for (let i = 0; i < 10_000; i++) {
        if (busy.next() > 0) counts[0]!++
        if (i % 2_000 === 0 && quiet.next() > 0) counts[1]!++
      }
      rate.refill()
    }
    expect(sum(counts)).toBeLessThanOrEqual(1_000)
    expect(counts[0]).toBeGreaterThan(300)
    expect(counts[1]).toBeGreaterThan(300)
  })

  it('costs a decision that is not sampled next to nothing: most ask for no random number', () => {
    let drawn = 0
    const random = seededRandom(2)
    const rate = new SampleRate(() => {
      drawn++
      return random()
    }, 10)
    const sampler = rate.sampler(unseen)
    seconds(rate, sampler, 100_000, 10)
    expect(drawn).toBeLessThan(1_000)
  })

  it('has the first refusals of each second told, then ever fewer, and no more than it may', () => {
    const rate = new SampleRate(seededRandom(1), 10)
    const [one, two] = [rate.sampler(unseen), rate.sampler(unseen)]
    const told = (sampler: Sampler, refusals: number): number[] =>
      Array.from({ length: refusals }, (_, i) => (sampler.refusal() ? i + 1 : 0)).filter((at) => at > 0)
    expect(told(one, 5)).toEqual([1, 2, 4])
    expect(told(two, 1_000)).toEqual([1, 2])
    rate.refill()
    expect(told(two, 1_000)).toEqual([1, 2, 4, 8, 16])
    expect(told(one, 3)).toEqual([])
  })
})
