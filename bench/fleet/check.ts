import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../examples/fleet/src/demo/wait.ts'
import type { Stage } from './stage.ts'

/** Of a quota that everybody wants more of. */
export const USED = 0.99
/** Recovered: a whole second of so much, and none of less since. */
const WELL = 0.97
const SETTLE_MS = 90_000
const RECOVER_MS = 60_000

export interface Quota {
  readonly rate: number
  readonly burst: number
  readonly agents: number
  /** After a fault is mended it is watched so long at least, milliseconds: a lease lasts 8 s. */
  readonly watchMs: number
}

export interface Fault {
  readonly name: string
  /** Most that was admitted in any second, as a share of what may be: the quota and its burst. */
  readonly peak: number
  /** Of the quota, from the fault to the end of the recovery. */
  readonly used: number
  /** Of the quota in the worst second. */
  readonly worst: number
  /** Until the quota was used again, seconds since the fault began; 0: it never was not. */
  readonly recoveredSeconds: number
}

/** A third of the agents want a little of what all may have, the others much: in all three times the quota. */
export const loadsOf = (agents: number, rate: number): number[] => {
  const few = Math.floor(agents / 3)
  const little = rate / agents / 2
  const much = (3 * rate - few * little) / (agents - few)
  return Array.from({ length: agents }, (_, i) => (i < few ? little : much))
}

const now = () => performance.timeOrigin + performance.now()

/** Drives a stage, breaks it, and measures what the agents admit meanwhile. */
export class Check {
  readonly faults: Fault[] = []
  readonly #stage: Stage
  readonly #quota: Quota
  readonly #say: (line: string) => void
  readonly #sinceMs: number

  constructor(stage: Stage, quota: Quota, say: (line: string) => void) {
    this.#stage = stage
    this.#quota = quota
    this.#say = say
    this.#sinceMs = now()
  }

  /** Most in any second of all, as a share of what may be. */
  get peak(): number {
    return this.#stage.meter.seconds(this.#sinceMs, now() - 1_000).most / this.#most
  }

  /** Waits until the quota is used, then measures for a while. */
  async steady(ms: number): Promise<number> {
    await this.#used(SETTLE_MS)
    const fromMs = now()
    await pause(ms)
    const used = this.#stage.meter.rate(fromMs, now() - 1_000) / this.#quota.rate
    this.#say(`used ${(used * 100).toFixed(2)} % of the quota over ${ms / 1_000} s`)
    return used
  }

  /** Breaks something; `mend` is called after `downMs`; waits until the quota is used again. */
  async fault(name: string, breaks: () => unknown, downMs: number, mend: () => unknown): Promise<Fault> {
    const { meter } = this.#stage
    const fromMs = now()
    await breaks()
    await pause(downMs)
    await mend()
    await pause(this.#quota.watchMs)
    await this.#used(RECOVER_MS)
    const toMs = now() - 1_000
    const { most, least } = meter.seconds(fromMs, toMs)
    const lastMs = meter.lastBelow(WELL * this.#quota.rate, fromMs, toMs)
    const fault = {
      name,
      peak: most / this.#most,
      used: meter.rate(fromMs, toMs) / this.#quota.rate,
      worst: least / this.#quota.rate,
      recoveredSeconds: lastMs === null ? 0 : (lastMs - fromMs) / 1_000,
    }
    this.faults.push(fault)
    this.#say(
      `${name}: at most ${percent(fault.peak)} of what may be in any second, ${percent(fault.used)} used, the worst second ${percent(fault.worst)}, well again after ${fault.recoveredSeconds.toFixed(1)} s`,
    )
    return fault
  }

  /** Every agent has a socket, is in the list, and admits. */
  async everybody(): Promise<void> {
    const { meter } = this.#stage
    let seen = ''
    const all = async () => {
      const [away, idle, listed] = [meter.away, meter.idle(now() - 5_000), await this.#stage.connected()]
      seen = `${listed} in the list; without a socket: ${away.join(', ')}; idle: ${idle.join(', ')}`
      return away.length === 0 && idle.length === 0 && listed === this.#quota.agents
    }
    await until('every agent to be connected and to admit', all, RECOVER_MS, 500).catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error} ${seen}`)
    })
  }

  /** What the quota and its burst let through in a second; a share below one token saves up to one. */
  get #most(): number {
    return this.#quota.rate + Math.max(this.#quota.burst, this.#quota.agents)
  }

  #used(withinMs: number): Promise<boolean> {
    let seen = 0
    const well = async () => {
      seen = this.#stage.meter.rate(now() - 4_000, now() - 1_000)
      return seen >= WELL * this.#quota.rate
    }
    return until('the quota to be used', well, withinMs, 250).catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error} ${seen} per second were, at last.`)
    })
  }
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
