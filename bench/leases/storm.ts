import { RATE_GRAINS } from '@weir/policy/model'
import { type Random, seededRandom } from '@weir/testkit'
import { leaseTiming, longestMs } from '../../apps/control-plane/src/features/leases/timing.ts'
import { Bound, type Look } from './bound.ts'
import type { Replica } from './replica.ts'
import { type SimAgent, World } from './world.ts'

/** A refresh that is short beside the time to be presumed dead, or beside a message's way, shows what clocks and delays can do. */
const REFRESHES_MS = [200, 1_000]
const DELAYS_MS = [20, 300, 1_500]
const REPLICAS = [1, 2, 3]
const OWNS_MS = [1_000, 3_000]
const HOPS_MS = [5, 100, 1_000]
const DEAD_MS = 20_000
const LASTS_MS = 60_000
const CALM_MS = 3_000
const MOST_AGENTS = 10
/** The control plane's clock may be slow. */
const SLOW = 1.01
const RATES = [1_000, 100, 10].map((rate) => rate * RATE_GRAINS)
const SLOTS = [20, 5, 1]

export interface StormFigures {
  /** Largest share of what may be used that was usable at any moment. */
  readonly peak: number
  /** Where that was over 1: which quota, when, how much. */
  readonly broken: string | null
  readonly looks: number
}

/** A minute in which everything happens to a few agents that share two quotas; the bound is looked at after every event, and between. The seed decides all. */
export const storm = (seed: number): StormFigures => {
  const random = seededRandom(seed)
  const pick = picker(random)
  const refreshMs = pick(REFRESHES_MS)
  const ownsMs = pick(OWNS_MS)
  const world = new World({
    seed,
    quotas: [
      { units: RATES[0] as number, kind: 'rate' },
      { units: SLOTS[0] as number, kind: 'slots' },
    ],
    refreshMs,
    presumedDeadMs: DEAD_MS,
    loss: pick([0, 0.1]),
    delayMs: pick(DELAYS_MS),
    replicas: pick(REPLICAS),
    ownsMs,
    hopMs: pick(HOPS_MS),
  })
  const bound = new Bound(world, longestMs(leaseTiming(refreshMs, DEAD_MS)) * SLOW, ownsMs)
  const happenings = happeningsOf(world, bound, random)
  const plan = (atMs: number, happens: () => void) => {
    if (atMs < LASTS_MS) world.at(atMs, happens)
  }
  const strike = () => {
    pick(happenings)()
    plan(world.nowMs + random() * 1_500, strike)
  }
  const between = () => plan(world.nowMs + random() * 200, between)
  for (let i = 0; i < 4; i++) happenings[0]?.()
  plan(CALM_MS, strike)
  between()
  let peak = 0
  let looks = 0
  let broken: string | null = null
  world.run(LASTS_MS, () => {
    looks++
    const seen = bound.look()
    for (const [quota, { usable, largest }] of seen.entries()) {
      peak = Math.max(peak, usable / largest)
      if (usable > largest) broken ??= `quota ${quota} at ${world.nowMs.toFixed(0)} ms: ${usable} of ${largest}`
    }
    const { tokens, most } = bound.saved(0, seen[0] as Look)
    if (tokens > most) broken ??= `burst at ${world.nowMs.toFixed(0)} ms: ${tokens} of ${most}`
  })
  return { peak, broken, looks }
}

/** The first one is a newcomer. */
const happeningsOf = (world: World, bound: Bound, random: Random): readonly (() => void)[] => {
  const pick = picker(random)
  const living = () => world.agents.filter(({ alive }) => alive)
  const some = (happens: (agent: SimAgent) => void) => {
    const agents = living()
    if (agents.length > 0) happens(pick(agents))
  }
  const replica = (happens: (replica: Replica) => void, which: Replica | null = pick(world.plane.replicas)) => {
    if (which?.alive) happens(which)
  }
  const load = (quota: number) => (random() * pick([0, 20, 2_000])) / (quota === 0 ? 1 : 50)
  const cutOrMend = () =>
    some((agent) => {
      agent.cut = !agent.cut
    })
  const otherLoad = () =>
    some((agent) => {
      const draw = pick(agent.draws)
      draw.load = load(draw.quota)
    })
  const otherQuota = () => {
    const quota = pick([0, 1])
    const units = pick(quota === 0 ? RATES : SLOTS)
    if (!world.plane.store.up) return
    world.plane.setCapacity(quota, units)
    bound.changed(quota, units)
  }
  return [
    () => {
      if (living().length < MOST_AGENTS) world.join([0, 1].map((quota) => ({ quota, load: load(quota) })))
    },
    () => some((agent) => world.leave(agent)),
    () => some((agent) => world.crash(agent)),
    cutOrMend,
    cutOrMend,
    () => some((agent) => world.breaks(agent)),
    otherLoad,
    otherLoad,
    otherQuota,
    () => {
      world.loss = pick([0, 0.1, 0.5])
    },
    () => {
      world.plane.hopLoss = pick([0, 0.1, 0.5])
    },
    () => replica((one) => world.die(one, random() * 3_000)),
    () => replica((one) => world.die(one, random() * 3_000), world.plane.owner),
    () => {
      if (random() < 0.3) for (const one of world.plane.living) world.die(one, random() * 3_000)
    },
    () =>
      replica((one) => {
        one.cut = !one.cut
      }),
    () => {
      world.plane.store.up = !world.plane.store.up || random() < 0.5
    },
  ]
}

const picker =
  (random: Random) =>
  <T>(values: readonly T[]): T =>
    values[Math.floor(random() * values.length)] as T
