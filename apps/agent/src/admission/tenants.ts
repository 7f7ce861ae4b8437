import type { Clock } from '../core/clock.ts'
import type { Resource, Resources, TenantRules } from './resource.ts'
import { canonicalTenant, Tenant } from './tenant.ts'

/** Accounts looked at for a newcomer's place: idle ones are found over several arrivals, none pays for all. */
const EVICTION_STEPS = 8

/**
 * The tenants of one gate. Those with a quota of their own always have an account (the policy bounds them); of all others at most `maxUnlisted` are
 * tracked. An account is dropped only to make room, when nothing runs and its bucket is full; else newcomers share `other`.
 */
export class Tenants {
  /** Work that names no tenant. */
  none: Tenant
  /** Newcomers without a place, and names that are none. */
  other: Tenant
  readonly #resources: Resources
  readonly #maxUnlisted: number
  readonly #tracked = new Map<string, Tenant>()
  #unlisted = 0
  #closed = false
  #name: string
  #resource: Resource

  constructor(resources: Resources, name: string, rules: TenantRules, maxUnlisted: number, nowMs: number) {
    this.#resources = resources
    this.#maxUnlisted = maxUnlisted
    this.#name = name
    this.#resource = resources.open(name, rules, nowMs)
    this.none = new Tenant(this.#resource.none)
    this.other = new Tenant(this.#resource.other)
  }

  get size(): number {
    return this.#tracked.size
  }

  /** The account of a tenant; `null` where the policy refuses those that it does not list. Those get no account. */
  find(given: string | undefined, clock: Clock): Tenant | null {
    if (typeof given !== 'string' || given.length === 0) return this.#resource.unlistedMayPass ? this.none : null
    const known = this.#tracked.get(given)
    if (known === undefined) return this.#newcomer(given, clock)
    return this.#resource.unlistedMayPass || known.allowance.listed ? known : null
  }

  /** New rules, all use kept; another resource has accounts of its own, and work that runs or waits stays with the former. */
  apply(name: string, rules: TenantRules, nowMs: number): void {
    if (this.#closed) return
    if (name !== this.#name) {
      this.#giveUp(nowMs)
      this.#name = name
      this.#resource = this.#resources.open(name, rules, nowMs)
      this.none = new Tenant(this.#resource.none)
      this.other = new Tenant(this.#resource.other)
    } else this.#resource.apply(rules, nowMs)
    this.#unlisted = 0
    for (const { allowance } of this.#tracked.values()) if (!allowance.listed) this.#unlisted++
  }

  /** Gives all accounts up; work that refers to them ends as it would have. */
  close(nowMs: number): void {
    if (this.#closed) return
    this.#closed = true
    this.#giveUp(nowMs)
  }

  #giveUp(nowMs: number): void {
    for (const { allowance } of this.#tracked.values()) this.#resource.close(allowance, nowMs)
    this.#tracked.clear()
    this.#resources.close(this.#name)
  }

  #newcomer(given: string, clock: Clock): Tenant | null {
    const name = canonicalTenant(given)
    if (name === null) return this.#resource.unlistedMayPass ? this.other : null
    if (name !== given && this.#tracked.has(name)) return this.find(name, clock)
    if (!this.#resource.lists(name)) {
      if (!this.#resource.unlistedMayPass) return null
      if (this.#unlisted >= this.#maxUnlisted && !this.#evictOne(clock.now())) return this.other
      this.#unlisted++
    }
    const tenant = new Tenant(this.#resource.open(name, clock.now()))
    this.#tracked.set(name, tenant)
    return tenant
  }

  /** Looks at the accounts that were looked at longest ago; those that stay go to the end. */
  #evictOne(nowMs: number): boolean {
    let steps = EVICTION_STEPS
    for (const [name, tenant] of this.#tracked) {
      if (steps-- === 0) return false
      this.#tracked.delete(name)
      if (!tenant.allowance.listed && tenant.idle(nowMs)) {
        this.#resource.close(tenant.allowance, nowMs)
        this.#unlisted--
        return true
      }
      this.#tracked.set(name, tenant)
    }
    return false
  }
}
