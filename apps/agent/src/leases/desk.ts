import {
  type LeaseAsked,
  type LeaseGranted,
  type LeaseName,
  type LeaseObeyed,
  leaseKey,
  RATE_GRAINS,
} from '@weir/policy/model'
import type { Drawn } from './leased.ts'

/** A question; its answer names its number. */
export interface LeaseQuestion {
  readonly n: number
  /** Nothing is held but what is named here. */
  readonly whole: boolean
  readonly asked: readonly LeaseAsked[]
}

/** An answer is waited for so much longer than the time between two questions: only that to the last one is taken. */
const PATIENCE = 1.5
/** The questions of a fleet are spread: each comes within so much of a refresh, earlier or later. */
const JITTER = 0.1

/** Leases that are asked for in one question: when to ask, what to ask, and what to make of an answer. Pure: whoever has the socket carries the messages. */
export class LeaseDesk {
  readonly #drawn = new Map<string, Drawn>()
  readonly #random: () => number
  readonly #number: () => number
  #refreshMs: number
  #last = 0
  #dueMs = 0
  /** When the last question was sent, where its answer is not here. */
  #openMs: number | null = null

  /** `refreshMs` until an answer says another. `number` gives each question another one; default: from 1. */
  constructor(refreshMs: number, random: () => number, number?: () => number) {
    this.#refreshMs = refreshMs
    this.#random = random
    this.#number = number ?? (() => this.#last + 1)
  }

  /** How many it asks for. */
  get size(): number {
    return this.#drawn.size
  }

  add(drawn: Drawn): void {
    this.#drawn.set(leaseKey(drawn.name), drawn)
  }

  /** It is not asked for any more: what is held of it ends by itself. False: it was not. */
  remove(name: LeaseName): boolean {
    return this.#drawn.delete(leaseKey(name))
  }

  /** A connection is new: answers of the former do not come, and the control plane may not know what is held. */
  connected(): void {
    this.#openMs = null
    this.#dueMs = 0
  }

  /** Asks soon: what is drawn on, or the quota of it, has changed. The fleet has heard of it at the same moment, so it is spread. */
  hurry(nowMs: number): void {
    this.#dueMs = Math.min(this.#dueMs, nowMs + JITTER * this.#refreshMs * this.#random())
  }

  get refreshMs(): number {
    return this.#refreshMs
  }

  /** When to ask next, where nothing is outgrown before: later while an answer is waited for, so that a slow control plane is asked less. */
  get dueMs(): number {
    return this.#openMs === null ? this.#dueMs : Math.max(this.#dueMs, this.#openMs + PATIENCE * this.#refreshMs)
  }

  /** Whether to ask now: it is time, or what is wanted has outgrown what was told. */
  isDue(nowMs: number): boolean {
    if (nowMs >= this.dueMs) return true
    if (this.#openMs !== null) return false
    for (const { demand } of this.#drawn.values()) if (demand.outgrown(nowMs)) return true
    return false
  }

  /** `pace`: after how many refreshes the next one comes. */
  ask(nowMs: number, whole = true, pace = 1): LeaseQuestion {
    const n = this.#number()
    this.#last = n
    this.#openMs = nowMs
    this.#dueMs = nowMs + pace * this.#refreshMs * (1 + JITTER * (2 * this.#random() - 1))
    return { n, whole, asked: Array.from(this.#drawn.values(), (drawn) => asked(drawn, nowMs)) }
  }

  /**
   * Takes the answer to question `n`, unless there was another since: whoever read that one, perhaps a ledger that knows nothing else, counts on what it
   * said. Returns the leases that are smaller now: the control plane is told at once, so that others may have the rest.
   */
  take(n: number, granted: readonly LeaseGranted[], nowMs: number): LeaseObeyed[] {
    const askedMs = this.#openMs
    if (askedMs === null || n !== this.#last) return []
    this.#openMs = null
    const obeyed: LeaseObeyed[] = []
    for (const each of granted) {
      const drawn = this.#drawn.get(leaseKey(each))
      this.#refreshMs = each.grant.refreshMs
      if (drawn === undefined || !drawn.lease.take(each.grant, askedMs, nowMs)) continue
      const held = drawn.lease.told(nowMs)
      if (held !== null) obeyed.push({ ...drawn.name, held, inUse: drawn.demand.taken })
    }
    return obeyed
  }
}

const asked = ({ name, demand, lease }: Drawn, nowMs: number): LeaseAsked => {
  const { want, spare, used } = demand.tell(nowMs)
  const units = name.kind === 'rate' ? RATE_GRAINS : 1
  const whole = (amount: number) => Math.min(Math.ceil(amount * units), Number.MAX_SAFE_INTEGER)
  return {
    ...name,
    want: whole(want),
    spare: whole(spare),
    used: whole(used),
    inUse: demand.taken,
    held: lease.told(nowMs),
  }
}
