import { beforeAll, describe, expect, it } from 'vitest'
import { Fleet } from './fleet.ts'
import { PARTITION_SHARE, peakOf, refreshesOf, type Scene, scenesOf } from './scenes.ts'

const SEED = 1
const AGENTS = 60
const QUOTAS = 8
/** Of few, one that has not asked again is more than the 1 % by which shares may be off. */
const SHOCKED_AGENTS = 300

describe('a small fleet on virtual time', () => {
  const fleet = new Fleet(SEED, AGENTS, QUOTAS)
  let scenes: Scene[] = []
  beforeAll(() => {
    scenes = scenesOf(fleet)
  }, 60_000)
  const meanOf = (name: string) => scenes.find((scene) => scene.name === name)?.mean

  it('passes no quota, whatever happens', () => {
    expect(peakOf(fleet.samples)).toBeLessThanOrEqual(1)
    expect(peakOf(fleet.samples)).toBeGreaterThan(0.98)
  })

  it.each([
    ['calm', 0.99],
    ['churn', 0.95],
    ['partition', 1 - PARTITION_SHARE - 0.05],
    ['owner died', 0.85],
    ['store away', 0.7],
  ])('%s: puts nearly all to use that can be', (name, least) => {
    expect(meanOf(name)).toBeGreaterThanOrEqual(least)
  })

  it('comes to max-min within two refreshes of a shock', () => {
    for (const [shock, refreshes] of Object.entries(refreshesOf(new Fleet(SEED, SHOCKED_AGENTS, 1))))
      expect(refreshes, shock).toBeLessThanOrEqual(2)
  })
})
