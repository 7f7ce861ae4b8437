import { type AgentsReport, GRAIN_MS } from './message.ts'

const WINDOW_GRAINS = 1_000 / GRAIN_MS

/** What all agents together admitted, in any second: on one clock, for they are on one machine. */
export class Meter {
  readonly #grains = new Map<number, number>()
  readonly #lastOf = new Map<string, number>()
  readonly #connected = new Map<string, boolean>()

  hear({ agents }: AgentsReport): void {
    for (const { instance, connected, admitted } of agents) {
      this.#connected.set(instance, connected)
      for (const [grain, count] of admitted) {
        this.#grains.set(grain, (this.#grains.get(grain) ?? 0) + count)
        this.#lastOf.set(instance, Math.max(grain * GRAIN_MS, this.#lastOf.get(instance) ?? 0))
      }
    }
  }

  /** Admitted per second on average from one moment to another, milliseconds since the epoch. */
  rate(fromMs: number, toMs: number): number {
    let sum = 0
    const from = Math.floor(fromMs / GRAIN_MS)
    const to = Math.floor(toMs / GRAIN_MS)
    for (let grain = from; grain < to; grain++) sum += this.#grains.get(grain) ?? 0
    return (sum * 1_000) / ((to - from) * GRAIN_MS)
  }

  /** Most and least that was admitted in any second that lies between. */
  seconds(fromMs: number, toMs: number): { readonly most: number; readonly least: number } {
    const from = Math.floor(fromMs / GRAIN_MS)
    const to = Math.floor(toMs / GRAIN_MS)
    let sum = 0
    let most = 0
    let least = Number.POSITIVE_INFINITY
    for (let grain = from; grain < to; grain++) {
      sum +=
        (this.#grains.get(grain) ?? 0) -
        (grain - WINDOW_GRAINS < from ? 0 : (this.#grains.get(grain - WINDOW_GRAINS) ?? 0))
      if (grain - from < WINDOW_GRAINS - 1) continue
      most = Math.max(most, sum)
      least = Math.min(least, sum)
    }
    return { most, least }
  }

  /** When, from a moment on, a whole second last admitted less than this; `null`: none did. */
  lastBelow(perSecond: number, fromMs: number, toMs: number): number | null {
    for (let endMs = toMs; endMs >= fromMs + 1_000; endMs -= 100)
      if (this.rate(endMs - 1_000, endMs) < perSecond) return endMs
    return null
  }

  /** Agents that admitted nothing since. */
  idle(sinceMs: number): string[] {
    return [...this.#connected.keys()].filter((instance) => (this.#lastOf.get(instance) ?? 0) < sinceMs)
  }

  /** Agents without a socket. */
  get away(): string[] {
    return [...this.#connected].filter(([, connected]) => !connected).map(([instance]) => instance)
  }
}
