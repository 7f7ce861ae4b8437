import { expect, it } from 'vitest'
import { storm } from './storm.ts'

/** A thousand and more by hand: `npm run sim:leases -- --seeds 1000`. */
const SEEDS = 100

it('at no moment may agents use more than the quota, by their own clocks, whatever happens to them', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { broken, looks } = storm(seed)
    expect(broken, `seed ${seed}`).toBeNull()
    expect(looks).toBeGreaterThan(500)
  }
})

it('and they may use all of it when nothing happens for a while', () => {
  const peaks = Array.from({ length: 20 }, (_, seed) => storm(seed).peak)
  expect(peaks.filter((peak) => peak > 0.9).length).toBeGreaterThan(10)
})

it('a seed says it all: what broke once breaks again', () => {
  expect(storm(7)).toEqual(storm(7))
})
