import { Account } from './account.ts'
import type { LeaseTiming } from './timing.ts'

/** What the ledgers before this one may have granted. */
export interface Before {
  /** Agents that may hold something. They tell what, and until then nothing is granted that they might be using. */
  readonly agents: ReadonlySet<string>
  /** The largest quota in force within the time after which a silent agent counts as dead, whole units. */
  readonly largest: number
}

export const NOTHING: Before = { agents: new Set(), largest: 0 }

/**
 * What agents may hold of a ledger that was before this one, and have not told: at first everything. Each one that tells takes its part out. Their leases
 * last for as long as a lease can, their safe capacities until they count as dead or have all told.
 */
export class Unknown {
  readonly account = new Account('')
  readonly #missing: Set<string>
  #units: number
  #safe: number
  readonly #endsMs: { readonly leases: number; readonly all: number }
  readonly #sinceMs: number

  constructor({ agents, largest }: Before, timing: LeaseTiming, nowMs: number) {
    this.#missing = new Set(agents)
    this.#sinceMs = nowMs
    this.#units = largest
    this.#safe = largest
    this.#endsMs = { leases: nowMs + timing.formerLengthMs, all: nowMs + timing.presumedDeadMs }
    this.#show()
  }

  /** Nothing is unknown any more. */
  get isOver(): boolean {
    return this.account.isEmpty
  }

  /** Those that have not told. */
  get missing(): number {
    return this.#missing.size
  }

  /** Some that may hold leases are missing. */
  isLearning(nowMs: number): boolean {
    return !this.isOver && nowMs < this.#endsMs.leases
  }

  /** An agent told what it holds: nothing of it is unknown. */
  told(agent: string, units: number, safe: number): void {
    if (!this.#missing.delete(agent)) return
    this.#units = Math.max(0, this.#units - units)
    this.#safe = Math.max(0, this.#safe - safe)
    if (units + safe > 0 || this.#missing.size === 0) this.#show()
  }

  end(): void {
    this.#missing.clear()
    this.#show()
  }

  #show(): void {
    if (this.#missing.size === 0) {
      this.account.clear()
      return
    }
    this.account.declare({
      units: this.#units,
      safe: this.#safe,
      expiresMs: this.#endsMs.leases,
      stepMs: this.#sinceMs,
      deadMs: this.#endsMs.all,
    })
  }
}
