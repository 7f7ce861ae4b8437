import { describe, expect, it } from 'vitest'
import { ChangedQuota, REFRESH_MS } from './changed-quota.testkit.ts'

const SEEDS = Array.from({ length: 10 }, (_, i) => i + 1)
const LOADS = [1_500, 750, 400, 250, 100, 0]
const BURST = 100
/** Of the quota, held back for newcomers once nobody joins. */
const HELD_BACK = 0.005
/** Each agent's odd units. */
const ODD = LOADS.length

/** What all agents may use, at each tick. */
const seenIn = (world: ChangedQuota, ms: number): number[] => {
  const seen: number[] = []
  world.pass(ms, () => seen.push(world.usable))
  return seen
}

describe('a quota that falls to a tenth and is whole again, under three times its load', () => {
  it.each(SEEDS)(
    'of a rate: the fall and the rise have their whole effect well within two refreshes, seed %i',
    async (seed) => {
      const world = await ChangedQuota.settled(seed, { rate: 1_000, burst: BURST }, LOADS)
      expect(world.usable).toBeGreaterThanOrEqual(1_000 * (1 - HELD_BACK) - ODD)

      await world.publish({ rate: 100, burst: BURST })
      world.pass(REFRESH_MS)
      const low = world.nowMs
      const tenth = seenIn(world, 10 * REFRESH_MS)
      expect(Math.min(...tenth)).toBeGreaterThanOrEqual(100 * (1 - HELD_BACK) - ODD)
      expect(Math.max(...tenth)).toBeLessThanOrEqual(100)
      expect(world.most(low)).toBeLessThanOrEqual(100 + BURST)

      const raised = world.nowMs
      await world.publish({ rate: 1_000, burst: BURST })
      const rising = seenIn(world, REFRESH_MS)
      const whole = seenIn(world, 6 * REFRESH_MS)
      expect(Math.min(...whole)).toBeGreaterThanOrEqual(1_000 * (1 - HELD_BACK) - ODD)
      expect(Math.max(...rising, ...whole)).toBeLessThanOrEqual(1_000)
      // Nine tenths of what two refreshes could let pass: agents hear of it, ask within a tenth of a refresh, and their bursts fill by time only.
      expect(
        world.admittedMs.filter((atMs) => atMs >= raised && atMs < raised + 2 * REFRESH_MS).length,
      ).toBeGreaterThan((0.9 * 1_000 * 2 * REFRESH_MS) / 1_000)
      expect(world.most(raised)).toBeLessThanOrEqual(1_000 + BURST)
    },
  )

  it.each(SEEDS)('of slots, where what is wanted at most doubles with each question, seed %i', async (seed) => {
    const lastsMs = 200
    const loads = LOADS.map((slots) => (slots * 1_000) / lastsMs)
    const world = await ChangedQuota.settled(seed, { concurrency: 1_000 }, loads, lastsMs)
    expect(world.usable).toBeGreaterThanOrEqual(1_000 * (1 - HELD_BACK) - ODD)

    await world.publish({ concurrency: 100 })
    world.pass(REFRESH_MS)
    expect(Math.max(...seenIn(world, 10 * REFRESH_MS))).toBeLessThanOrEqual(100)

    // It overshoots for some: those that ask first double first, and give the rest back as the others come to want it.
    await world.publish({ concurrency: 1_000 })
    const rising = seenIn(world, 2 * REFRESH_MS)
    const sharing = seenIn(world, 4 * REFRESH_MS)
    const settling = seenIn(world, 4 * REFRESH_MS)
    expect(Math.max(...rising)).toBeGreaterThanOrEqual(900)
    expect(sharing.reduce((sum, one) => sum + one, 0) / sharing.length).toBeGreaterThanOrEqual(900)
    expect(settling.at(-1)).toBeGreaterThanOrEqual(1_000 * (1 - HELD_BACK) - ODD)
    expect(Math.max(...rising, ...sharing, ...settling)).toBeLessThanOrEqual(1_000)
  })
})
