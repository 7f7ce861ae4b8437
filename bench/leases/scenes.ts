import { maxMin } from '@weir/policy/model'
import { average, type Fleet, REFRESH_MS, type Sample } from './fleet.ts'

const LOOK_MS = 1_000
const WARM_MS = 60_000
const CALM_MS = 120_000
const CHURN_MS = 300_000
/** Of all agents, in a minute; one of ten goes without a word. */
const CHURN_SHARE = 0.01
const CRASHES = 0.1
/** How often an agent's load is another one, on average. */
const LOAD_LASTS_MS = 120_000
export const PARTITION_SHARE = 0.3
const PARTITION_MS = 120_000
const MEND_MS = 60_000
const LOSS = 0.05
const STORMY_MS = 60_000
const RESTART_MS = 4_000
/** Of a quota, added up over all agents, that is near enough to max-min. */
const NEAR = 0.01
const MOST_REFRESHES = 10
/** Held back for newcomers while agents join. */
const POOL = 0.02

export interface Scene {
  readonly name: string
  readonly fromMs: number
  readonly toMs: number
  readonly mean: number
  readonly peak: number
}

/** Plays one after another, all on one fleet, and says what was seen in each, also as soon as it is over. `lasts`: so many times as long as usual. */
export const scenesOf = (fleet: Fleet, lasts = 1, over: (scene: Scene) => void = () => {}): Scene[] => {
  const { world } = fleet
  const scenes: Scene[] = []
  const play = (name: string, ms: number, also?: () => void): void => {
    const fromMs = world.nowMs
    const samples = fleet.run(ms * lasts, LOOK_MS, also)
    const scene = {
      name,
      fromMs,
      toMs: world.nowMs,
      mean: average(samples.map(({ mean }) => mean)),
      peak: peakOf(samples),
    }
    scenes.push(scene)
    over(scene)
  }
  play('start', WARM_MS)
  play('calm', CALM_MS)
  play('changing demand', CALM_MS, () => otherLoads(fleet))
  play('churn', CHURN_MS, () => churn(fleet))
  const cut = fleet.living.filter((_, i) => i % 10 < PARTITION_SHARE * 10)
  for (const agent of cut) agent.cut = true
  play('partition', PARTITION_MS)
  for (const agent of cut) {
    agent.cut = false
    world.breaks(agent)
  }
  play('mended', MEND_MS)
  world.loss = LOSS
  play('loss and reorder', STORMY_MS)
  world.loss = 0
  for (const replica of world.plane.replicas) world.die(replica, RESTART_MS)
  play('restarted', STORMY_MS)
  const { owner } = world.plane
  if (owner !== null) world.die(owner, STORMY_MS / 2)
  play('owner died', STORMY_MS)
  world.plane.store.up = false
  play('store away', STORMY_MS)
  world.plane.store.up = true
  play('store back', STORMY_MS)
  return scenes
}

export const peakOf = (samples: readonly Sample[]): number => Math.max(...samples.map(({ peak }) => peak))

/** Refreshes from a shock until the shares of the quota that all have are near max-min: the slowest of several shocks. */
export const refreshesOf = (fleet: Fleet, lasts = 1): Record<string, number> => {
  const { world } = fleet
  const [whole = 0] = world.plane.capacities
  const shocks: Record<string, () => void> = {
    'a fifth wants five times as much': () => {
      for (const [i, { draws }] of fleet.living.entries()) if (i % 5 === 0 && draws[0]) draws[0].load *= 5
    },
    'a tenth joins': () => {
      for (let i = fleet.living.length / 10; i > 0; i--) fleet.join()
    },
    'the quota falls to a tenth': () => fleet.setCapacity(0, whole / 10),
    'the quota is whole again': () => fleet.setCapacity(0, whole),
  }
  fleet.run(WARM_MS * lasts, LOOK_MS)
  const refreshes: Record<string, number> = {}
  for (const [name, strikes] of Object.entries(shocks)) {
    strikes()
    const sinceMs = world.nowMs
    while (!isNear(fleet) && world.nowMs - sinceMs < MOST_REFRESHES * REFRESH_MS) world.run(world.nowMs + LOOK_MS / 5)
    refreshes[name] = (world.nowMs - sinceMs) / REFRESH_MS
    fleet.run(WARM_MS * lasts, LOOK_MS)
  }
  return refreshes
}

/** Whether the shares of the quota that all have are within 1 % of max-min, in sum, with or without what is held back for newcomers. */
const isNear = (fleet: Fleet): boolean => {
  const { world, living } = fleet
  const draws = living.flatMap((agent) =>
    agent.draws.filter(({ quota }) => quota === 0).map((draw) => ({ agent, draw })),
  )
  const claims = draws.map(({ draw }) => ({ want: fleet.units(0, draw.load), weight: 1 }))
  const [capacity = 0] = world.plane.capacities
  const off = (units: number) => {
    const shares = maxMin(units, claims)
    let sum = 0
    for (const [i, { agent, draw }] of draws.entries()) sum += Math.abs((shares[i] ?? 0) - world.usable(agent, draw))
    return sum / units
  }
  return off(capacity) <= NEAR || off(capacity * (1 - POOL)) <= NEAR
}

const otherLoads = (fleet: Fleet): void => {
  for (let i = (fleet.living.length * LOOK_MS) / LOAD_LASTS_MS; i > 0; i--)
    for (const draw of fleet.pick().draws) draw.load = fleet.load(draw.quota)
}

const churn = (fleet: Fleet): void => {
  const { world } = fleet
  const count = (fleet.living.length * CHURN_SHARE * LOOK_MS) / 60_000
  const whole = Math.floor(count) + (world.random() < count % 1 ? 1 : 0)
  for (let i = 0; i < whole; i++) {
    const agent = fleet.pick()
    if (world.random() < CRASHES) world.crash(agent)
    else world.leave(agent)
    fleet.join()
  }
}
