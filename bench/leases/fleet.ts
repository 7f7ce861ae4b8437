import { RATE_GRAINS } from '@weir/policy/model'
import { type Random, seededRandom } from '@weir/testkit'
import { leaseTiming, longestMs } from '../../apps/control-plane/src/features/leases/timing.ts'
import { Bound } from './bound.ts'
import type { SharedQuota } from './plane.ts'
import { type SimAgent, World } from './world.ts'

export const REFRESH_MS = 5_000
const DEAD_MS = 600_000
const DELAY_MS = 40
/** The control plane's clock may be slow. */
const SLOW = 1.01
/** Quotas that each agent draws on, beside the one that all share. */
const DRAWS = 4
/** A quota is between scarce and ample beside what is wanted of it on average. */
const SCARCEST = 0.4
const AMPLEST = 1.6
const RATE_LOAD = 20
const SLOTS_LOAD = 8
const SLOTS_EVERY = 4

/** What was seen at one moment, over all quotas. */
export interface Sample {
  readonly atMs: number
  /** Largest share of what may be used of any quota that was usable. */
  readonly peak: number
  /** What could be put to use beside what could at best: the lesser of the quota and all loads, averaged over the quotas. */
  readonly mean: number
}

/** A fleet that shares hundreds of quotas, one of them among all, under loads that differ by a factor of ten and more. */
export class Fleet {
  readonly world: World
  readonly bound: Bound
  readonly samples: Sample[] = []
  readonly #random: Random
  readonly #quotas: readonly SharedQuota[]

  constructor(seed: number, agents: number, quotas: number) {
    this.#random = seededRandom(seed)
    this.#quotas = quotasOf(agents, quotas, this.#random)
    this.world = new World({
      seed,
      quotas: this.#quotas,
      refreshMs: REFRESH_MS,
      presumedDeadMs: DEAD_MS,
      loss: 0,
      delayMs: DELAY_MS,
    })
    this.bound = new Bound(this.world, longestMs(leaseTiming(REFRESH_MS, DEAD_MS)) * SLOW)
    // They come up over one refresh, as a deployment does.
    for (let i = 0; i < agents; i++) this.world.at(this.#random() * REFRESH_MS, () => this.join())
  }

  get living(): SimAgent[] {
    return this.world.agents.filter(({ alive }) => alive)
  }

  join(): SimAgent {
    const drawn = new Set([0])
    while (drawn.size < Math.min(DRAWS + 1, this.#quotas.length))
      drawn.add(Math.floor(this.#random() * this.#quotas.length))
    return this.world.join([...drawn].map((quota) => ({ quota, load: this.load(quota) })))
  }

  /** Many want little, some ten times as much. */
  load(quota: number): number {
    const mean = this.#quotas[quota]?.kind === 'slots' ? SLOTS_LOAD : RATE_LOAD
    return mean * -Math.log(1 - this.#random())
  }

  /** One that lives, by chance; most do. */
  pick(): SimAgent {
    const { agents } = this.world
    while (true) {
      const agent = agents[Math.floor(this.#random() * agents.length)] as SimAgent
      if (agent.alive) return agent
    }
  }

  setCapacity(quota: number, units: number): void {
    this.world.plane.setCapacity(quota, units, this.world.nowMs)
    this.bound.changed(quota, units)
  }

  /** Runs for a while and looks every `everyMs`. */
  run(ms: number, everyMs: number, also?: () => void): Sample[] {
    const first = this.samples.length
    const { world } = this
    const endMs = world.nowMs + ms
    while (world.nowMs < endMs) {
      world.run(Math.min(endMs, world.nowMs + everyMs))
      also?.()
      this.samples.push(this.#look())
    }
    return this.samples.slice(first)
  }

  #look(): Sample {
    const { world, bound } = this
    const useful = this.#quotas.map(() => ({ used: 0, wanted: 0 }))
    for (const agent of world.agents) {
      if (!agent.alive) continue
      for (const draw of agent.draws) {
        const of = useful[draw.quota]
        if (of === undefined) continue
        const load = this.units(draw.quota, draw.load)
        of.wanted += load
        of.used += Math.min(load, world.usable(agent, draw))
      }
    }
    const means = useful.map(({ used, wanted }, quota) => {
      const best = Math.min(wanted, world.plane.capacities[quota] ?? 0)
      return best > 0 ? Math.min(1, used / best) : 1
    })
    const peaks = bound.look().map(({ usable, largest }) => (largest > 0 ? usable / largest : 0))
    return { atMs: world.nowMs, peak: Math.max(...peaks), mean: average(means) }
  }

  /** Of a load, whole units. */
  units(quota: number, load: number): number {
    return this.#quotas[quota]?.kind === 'slots' ? Math.round(load) : load * RATE_GRAINS
  }
}

export const average = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length

/** The first is a rate that every agent draws on, half of what they want. */
const quotasOf = (agents: number, quotas: number, random: Random): SharedQuota[] => {
  const each = (agents * DRAWS) / Math.max(1, quotas - 1)
  return Array.from({ length: quotas }, (_, i) => {
    const kind = i > 0 && i % SLOTS_EVERY === 0 ? 'slots' : 'rate'
    const ample = SCARCEST + (AMPLEST - SCARCEST) * random()
    if (i === 0) return { kind, units: Math.round(agents * RATE_LOAD * 0.5) * RATE_GRAINS }
    if (kind === 'slots') return { kind, units: Math.ceil(each * SLOTS_LOAD * ample) }
    return { kind, units: Math.ceil(each * RATE_LOAD * ample) * RATE_GRAINS }
  })
}
