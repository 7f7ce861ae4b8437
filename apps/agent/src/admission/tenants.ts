import { type EvenSplit, type Quota, shareOfQuota, type TenantsPolicy } from '@weir/policy/model'
import type { Clock } from '../core/clock.ts'
import { Bucket, type Flow } from './bucket.ts'
import { canonicalTenant, NO_TENANT, OTHER_TENANTS, Tenant } from './tenant.ts'

/** Accounts looked at for a newcomer's place: idle ones are found over several arrivals, none pays for all. */
const EVICTION_STEPS = 8

export interface TenantRules {
  readonly tenants: TenantsPolicy
  /** Explicit quotas of the gate's resource, by tenant. */
  readonly quotas: Readonly<Record<string, Quota>>
  readonly split: EvenSplit
}

/** A stretch of time under one split. */
interface Era {
  readonly sinceMs: number
  readonly split: EvenSplit
}

/**
 * The tenants of one gate. Those with a quota of their own always have an account (the policy bounds them); of all others at most `maxUnlisted` are
 * tracked. An account is dropped only to make room, when nothing runs and its bucket is full; else newcomers share `other`.
 */
export class Tenants {
  /** Work that names no tenant, as one tenant with the default quota. */
  readonly none: Tenant
  /** Newcomers without a place, and names that are none, as one tenant with the default quota. */
  readonly other: Tenant
  readonly #maxUnlisted: number
  readonly #tracked = new Map<string, Tenant>()
  #unlisted = 0
  #rules: TenantRules
  #quotas: ReadonlyMap<string, Quota>
  /** The present split and the one before, which is all that an untouched bucket needs to be right or a little short. */
  #eras: readonly Era[]

  constructor(rules: TenantRules, maxUnlisted: number, nowMs: number) {
    this.#rules = rules
    this.#maxUnlisted = maxUnlisted
    this.#quotas = new Map(Object.entries(rules.quotas))
    this.#eras = [{ sinceMs: nowMs, split: rules.split }]
    this.none = this.#create(NO_TENANT, undefined)
    this.other = this.#create(OTHER_TENANTS, undefined)
  }

  get size(): number {
    return this.#tracked.size
  }

  /** The account of a tenant; `null` where the policy refuses those that it does not list. Those get no account. */
  find(given: string | undefined, clock: Clock): Tenant | null {
    if (typeof given !== 'string' || given === NO_TENANT) return this.#unlistedMayPass ? this.none : null
    const known = this.#tracked.get(given)
    if (known === undefined) return this.#newcomer(given, clock)
    return known.listed || this.#unlistedMayPass ? known : null
  }

  /** New rules, all use kept. */
  apply(rules: TenantRules, nowMs: number): void {
    const before = this.#rules
    if (before.quotas === rules.quotas && same(before, rules)) return
    const began = !limits(before)
    this.#rules = rules
    this.#quotas = new Map(Object.entries(rules.quotas))
    const era = { sinceMs: nowMs, split: rules.split }
    const moved = before.split.agents !== rules.split.agents || before.split.rank !== rules.split.rank
    if (began) this.#eras = [era]
    else if (moved) this.#eras = [...this.#eras.slice(-1), era]
    this.#move(this.none, undefined, nowMs)
    this.#move(this.other, undefined, nowMs)
    this.#unlisted = 0
    for (const tenant of this.#tracked.values()) {
      const quota = this.#quotas.get(tenant.name)
      if (quota === undefined) this.#unlisted++
      this.#move(tenant, quota, nowMs)
    }
  }

  get #unlistedMayPass(): boolean {
    return this.#rules.tenants.unknown === 'allow'
  }

  #newcomer(given: string, clock: Clock): Tenant | null {
    const name = canonicalTenant(given)
    if (name === null) return this.#unlistedMayPass ? this.other : null
    if (name !== given && this.#tracked.has(name)) return this.find(name, clock)
    const quota = this.#quotas.get(name)
    if (quota === undefined) {
      if (!this.#unlistedMayPass) return null
      if (this.#unlisted >= this.#maxUnlisted && !this.#evictOne(clock.now())) return this.other
      this.#unlisted++
    }
    const tenant = this.#create(name, quota)
    this.#tracked.set(name, tenant)
    return tenant
  }

  /** Looks at the accounts that were looked at longest ago; those that stay go to the end. */
  #evictOne(nowMs: number): boolean {
    let steps = EVICTION_STEPS
    for (const [name, tenant] of this.#tracked) {
      if (steps-- === 0) return false
      this.#tracked.delete(name)
      if (!tenant.listed && tenant.idle(nowMs)) {
        this.#unlisted--
        return true
      }
      this.#tracked.set(name, tenant)
    }
    return false
  }

  /** A bucket as if it had stood there untouched since the first era: a first request finds what the tenant's share has earned. */
  #create(name: string, own: Quota | undefined): Tenant {
    const quota = own ?? this.#rules.tenants.default
    let bucket: Bucket | null = null
    for (const era of this.#eras) {
      const flow = flowOf(shareOfQuota(quota, era.split, name))
      if (flow === null) break
      if (bucket === null) bucket = new Bucket(flow, era.sinceMs)
      else bucket.reshare(flow, era.sinceMs)
    }
    return new Tenant(name, own !== undefined, quota, bucket, shareOfQuota(quota, this.#rules.split, name).concurrency)
  }

  #move(tenant: Tenant, own: Quota | undefined, nowMs: number): void {
    const quota = own ?? this.#rules.tenants.default
    const kept = flowOf(shareOfQuota(tenant.quota, this.#rules.split, tenant.name))
    const share = shareOfQuota(quota, this.#rules.split, tenant.name)
    const flow = flowOf(share)
    if (flow === null) tenant.bucket = null
    else if (tenant.bucket === null || kept === null) tenant.bucket = new Bucket(flow, nowMs)
    else {
      tenant.bucket.reshare(kept, nowMs)
      tenant.bucket.edit(flow, nowMs)
    }
    tenant.listed = own !== undefined
    tenant.quota = quota
    tenant.concurrency = share.concurrency
  }
}

const flowOf = (share: Quota): Flow | null =>
  share.rate === null ? null : { rate: share.rate, burst: share.burst ?? 0 }

const same = (a: TenantRules, b: TenantRules): boolean =>
  a.tenants === b.tenants && a.split.agents === b.split.agents && a.split.rank === b.split.rank

/** Whether any tenant's rate is limited. */
const limits = (rules: TenantRules): boolean =>
  rules.tenants.default.rate !== null || Object.values(rules.quotas).some((quota) => quota.rate !== null)
