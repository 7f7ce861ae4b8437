import type { Weir } from '@weir/agent'

const TICK_MS = 5
const WINDOW_MS = 1_000

interface Mark {
  readonly index: number
  readonly ms: number
}

/** Offers work of one tenant to several agents at steady rates, and counts what was admitted, by its own clock. */
export class Load {
  readonly #admitted: number[] = []
  readonly #timer: NodeJS.Timeout

  /** `rates` in units per second, one for each agent. */
  constructor(agents: readonly Weir[], rates: readonly number[]) {
    const owed = rates.map(() => 0)
    let lastMs = performance.now()
    this.#timer = setInterval(() => {
      const nowMs = performance.now()
      for (const [i, weir] of agents.entries()) {
        owed[i] = (owed[i] ?? 0) + ((rates[i] ?? 0) * (nowMs - lastMs)) / 1_000
        for (; (owed[i] ?? 0) >= 1; owed[i] = (owed[i] ?? 0) - 1) {
          const entry = weir.gate('checkout').tryAcquire({ tenant: 'acme' })
          if (!entry.accepted) continue
          this.#admitted.push(performance.now())
          entry.success()
        }
      }
      lastMs = nowMs
    }, TICK_MS)
  }

  /** From which on `since` counts. */
  mark(): Mark {
    return { index: this.#admitted.length, ms: performance.now() }
  }

  async passed(ms: number): Promise<void> {
    const untilMs = performance.now() + ms
    while (performance.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }

  /** Since the mark: the most that was admitted in any second, the mean per second, all of it, and the time. */
  since(mark: Mark): { readonly most: number; readonly mean: number; readonly total: number; readonly ms: number } {
    const ms = performance.now() - mark.ms
    const times = this.#admitted.slice(mark.index)
    let most = 0
    for (let first = 0, last = 0; last < times.length; last++) {
      while ((times[last] ?? 0) - (times[first] ?? 0) >= WINDOW_MS) first++
      most = Math.max(most, last - first + 1)
    }
    return { most, mean: (times.length * 1_000) / ms, total: times.length, ms }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
  }
}
