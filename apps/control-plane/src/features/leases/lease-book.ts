import {
  type LeaseAsked,
  type LeaseGranted,
  type LeaseName,
  type LeaseObeyed,
  leaseKey,
  leaseNameOf,
  type Quotas,
  RATE_GRAINS,
} from '@weir/policy/model'
import type { LedgerFigures } from './figures.ts'
import { QuotaLedger } from './ledger.ts'
import type { LeaseTiming } from './timing.ts'

/** What was before this control plane began. */
export interface BookBefore {
  /** Everybody who is not known to have ended: the database knows an agent before its first grant is sent. */
  readonly agents: ReadonlySet<string>
  /** Of each quota the largest that was in force within the time after which a silent agent counts as dead. */
  readonly quotas: Quotas
}

export interface BookOptions {
  readonly epoch: string
  readonly timing: LeaseTiming
  readonly random: () => number
  readonly before?: BookBefore
}

/** Leases of one service: a ledger for each quota's rate, and one for its slots. */
export class LeaseBook {
  readonly #options: BookOptions
  readonly #ledgers = new Map<string, QuotaLedger>()
  /** Those that are no quota any more, until nobody can hold a lease of them. */
  readonly #retired = new Map<string, QuotaLedger>()
  /** Agents of before that were not heard yet. */
  readonly #missing: Set<string>
  /** Of quotas of before that have had no ledger here, the largest, whole units: one that comes back may be held by those that are missing. */
  readonly #former: Map<string, number>
  /** Whoever is missing then counts as dead. */
  readonly #missingUntilMs: number

  constructor(options: BookOptions, quotas: Quotas, nowMs: number) {
    this.#options = options
    this.#missing = new Set(options.before?.agents)
    this.#former = new Map(partsOf(options.before?.quotas ?? {}))
    this.#missingUntilMs = nowMs + options.timing.presumedDeadMs
    this.publish(quotas, nowMs)
  }

  /** Other quotas are in force: what is leased stays so until it ends or is asked for anew. */
  publish(quotas: Quotas, nowMs: number): void {
    const parts = new Map(partsOf(quotas))
    for (const [key, ledger] of this.#ledgers) {
      if (parts.has(key)) continue
      this.#ledgers.delete(key)
      if (!ledger.isOver(nowMs)) this.#retired.set(key, ledger)
    }
    for (const [key, capacity] of parts) {
      const ledger = this.#ledgers.get(key) ?? this.#retired.get(key)
      this.#retired.delete(key)
      if (ledger === undefined) this.#ledgers.set(key, this.#open(key, capacity, nowMs))
      else {
        if (ledger.capacity !== capacity) ledger.setCapacity(capacity, nowMs)
        this.#ledgers.set(key, ledger)
      }
    }
  }

  /** Answers all that an agent asks at once; what is no quota any more is left out. `openedMs` is when its connection began. */
  ask(agent: string, asked: readonly LeaseAsked[], nowMs: number, openedMs: number, whole = true): LeaseGranted[] {
    if (whole) this.#hear(agent, asked, nowMs)
    const granted: LeaseGranted[] = []
    for (const each of asked) {
      const { resource, tenant, kind, want, spare, used, inUse, held } = each
      const ledger = this.#ledgers.get(leaseKey(each))
      const grant = ledger?.ask({ agent, weight: 1, want, spare, used, inUse, held }, nowMs, openedMs) ?? null
      if (grant !== null) granted.push({ resource, tenant, kind, grant })
    }
    return granted
  }

  /** The agent says, without asking, what it obeys now. */
  obeyed(agent: string, obeyed: readonly LeaseObeyed[], nowMs: number): void {
    for (const { held, inUse, ...name } of obeyed) this.#find(name)?.obeyed(agent, held, inUse, nowMs)
  }

  /** Gives back all that an agent holds: it said that it ends. */
  release(agent: string, nowMs: number): void {
    this.#missing.delete(agent)
    for (const ledger of this.#ledgers.values()) ledger.release(agent, nowMs)
    for (const ledger of this.#retired.values()) ledger.release(agent, nowMs)
  }

  /** Forgets what nobody can hold any more. */
  sweep(nowMs: number): void {
    for (const [key, ledger] of this.#retired) if (ledger.isOver(nowMs)) this.#retired.delete(key)
  }

  ledger(name: LeaseName): QuotaLedger | null {
    return this.#ledgers.get(leaseKey(name)) ?? null
  }

  get size(): number {
    return this.#ledgers.size + this.#retired.size
  }

  /** Whether nobody can hold anything: opened anew it would grant the same. */
  isOver(nowMs: number): boolean {
    const unheard = this.#missing.size > 0 && nowMs < this.#missingUntilMs
    if (unheard || this.#retired.size > 0) return false
    for (const ledger of this.#ledgers.values()) if (!ledger.isOver(nowMs)) return false
    return true
  }

  figures(nowMs: number): (LeaseName & LedgerFigures)[] {
    return Array.from(this.#ledgers, ([key, ledger]) => ({ ...leaseNameOf(key), ...ledger.figures(nowMs) }))
  }

  #find(name: LeaseName): QuotaLedger | undefined {
    const key = leaseKey(name)
    return this.#ledgers.get(key) ?? this.#retired.get(key)
  }

  /** An agent of before says all that it holds when it is first heard: of the rest it holds nothing. */
  #hear(agent: string, asked: readonly LeaseAsked[], nowMs: number): void {
    if (!this.#missing.delete(agent)) return
    const told = new Set(asked.map(leaseKey))
    for (const [key, ledger] of this.#ledgers) if (!told.has(key)) ledger.release(agent, nowMs)
  }

  #open(key: string, capacity: number, nowMs: number): QuotaLedger {
    const { epoch, timing, random } = this.#options
    const largest = nowMs < this.#missingUntilMs ? this.#former.get(key) : undefined
    this.#former.delete(key)
    const before = largest === undefined ? {} : { before: { agents: this.#missing, largest } }
    return new QuotaLedger({ epoch, timing, random, capacity, ...before }, nowMs)
  }
}

/** What of all quotas is limited, in whole units. */
function* partsOf(quotas: Quotas): Generator<[key: string, units: number]> {
  for (const [resource, tenants] of Object.entries(quotas))
    for (const [tenant, { rate, concurrency }] of Object.entries(tenants)) {
      if (rate !== null) yield [leaseKey({ kind: 'rate', resource, tenant }), Math.round(rate * RATE_GRAINS)]
      if (concurrency !== null) yield [leaseKey({ kind: 'slots', resource, tenant }), concurrency]
    }
}
