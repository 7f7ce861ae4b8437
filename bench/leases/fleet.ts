import { type Random, seededRandom } from '@weir/testkit'
import { leaseTiming, longestMs } from '../../apps/control-plane/src/features/leases/timing.ts'
import { Bound } from './bound.ts'
import { drawnOf, loadOf, quotasOf, type SharedQuota, unitsOf } from './quotas.ts'
import { type SimAgent, World } from './world.ts'

export const REFRESH_MS = 5_000
const DEAD_MS = 600_000
const DELAY_MS = 40
const REPLICAS = 3
/** Who owns the leases does so for this long, unless it says so again. */
const OWNS_MS = 6_000
/** Between two replicas of one data centre. */
const HOP_MS = 5
/** The control plane's clock may be slow. */
const SLOW = 1.01
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
      replicas: REPLICAS,
      ownsMs: OWNS_MS,
      hopMs: HOP_MS,
    })
    this.bound = new Bound(this.world, longestMs(leaseTiming(REFRESH_MS, DEAD_MS)) * SLOW, OWNS_MS)
    // They come up over one refresh, as a deployment does.
    for (let i = 0; i < agents; i++) this.world.at(this.#random() * REFRESH_MS, () => this.join())
  }

  get living(): SimAgent[] {
    return this.world.agents.filter(({ alive }) => alive)
  }

  join(): SimAgent {
    const drawn = drawnOf(this.#quotas, this.#random)
    return this.world.join(drawn.map((quota) => ({ quota, load: this.load(quota) })))
  }

  /** Many want little, some ten times as much. */
  load(quota: number): number {
    return loadOf(this.#quotas[quota]?.kind ?? 'rate', this.#random)
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
    this.world.plane.setCapacity(quota, units)
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
    return unitsOf(this.#quotas[quota]?.kind ?? 'rate', load)
  }
}

export const average = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length
