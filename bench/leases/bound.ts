import { RATE_GRAINS } from '@weir/policy/model'
import { BURST_SECONDS } from './draw.ts'
import type { World } from './world.ts'

export interface Look {
  /** What all agents may use. */
  readonly usable: number
  /** What they may use at most. */
  readonly largest: number
}

/** Quotas over time, and what may be used of them at a moment. */
export class Bound {
  readonly #world: World
  readonly #longestMs: number
  readonly #hearsMs: number
  readonly #history: { readonly sinceMs: number; readonly units: number }[][]

  /** Who grants hears of another quota within `hearsMs`; leases last up to `longestMs`. */
  constructor(world: World, longestMs: number, hearsMs: number) {
    this.#world = world
    this.#longestMs = longestMs
    this.#hearsMs = hearsMs
    this.#history = world.plane.capacities.map((units) => [{ sinceMs: 0, units }])
  }

  changed(quota: number, units: number): void {
    this.#history[quota]?.push({ sinceMs: this.#world.nowMs, units })
  }

  /** The largest quota in force since a moment. */
  largest(quota: number, sinceMs: number): number {
    const history = this.#history[quota] ?? []
    let largest = 0
    for (const [i, { units }] of history.entries())
      if ((history[i + 1]?.sinceMs ?? Number.POSITIVE_INFINITY) >= sinceMs) largest = Math.max(largest, units)
    return largest
  }

  /**
   * Each quota's use beside its bound, now: what all agents may use by their own clocks, and the largest quota in force within the longest lease, or
   * since the oldest grant that an agent still holds, if it was cut off before that.
   */
  look(): Look[] {
    const { agents, nowMs } = this.#world
    const looks = this.#history.map(() => ({ usable: 0, sinceMs: nowMs - this.#longestMs }))
    for (const agent of agents)
      for (const draw of agent.draws) {
        const usable = this.#world.usable(agent, draw)
        const look = looks[draw.quota]
        if (look === undefined || usable === 0) continue
        look.usable += usable
        if (draw.grantedMs < look.sinceMs) look.sinceMs = draw.grantedMs
      }
    return looks.map(({ usable, sinceMs }, quota) => ({
      usable,
      largest: this.largest(quota, sinceMs - this.#hearsMs),
    }))
  }

  /**
   * As `look`, of what a rate has saved up: tokens of all agents, and the bursts of the largest quota; a share below one token saves up to one, so each
   * agent may have one more.
   */
  saved(quota: number, { largest }: Look): { readonly tokens: number; readonly most: number } {
    const { agents, nowMs } = this.#world
    let tokens = 0
    let holders = 0
    for (const { alive, clock, draws } of agents) {
      const draw = alive ? draws[quota] : undefined
      if (draw === undefined) continue
      tokens += draw.tokens(clock.at(nowMs))
      holders++
    }
    return { tokens, most: (largest / RATE_GRAINS) * BURST_SECONDS + holders }
  }
}
