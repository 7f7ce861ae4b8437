import { type EvenSplit, type Quota, shareOfQuota, type TenantsPolicy } from '@weir/policy/model'
import { Leased } from '../leases/leased.ts'
import type { Leases } from '../leases/leases.ts'
import { Allowance } from './allowance.ts'
import { Bucket, type Flow } from './bucket.ts'
import { NO_TENANT, OTHER_TENANTS } from './tenant.ts'

export interface TenantRules {
  readonly tenants: TenantsPolicy
  /** Explicit quotas of the gate's resource, by tenant. */
  readonly quotas: Readonly<Record<string, Quota>>
  /** Of those that are not leased. */
  readonly split: EvenSplit
  /** Where the listed quotas are leased. Default: nowhere, they are split evenly as well. */
  readonly leases?: Leases | null
}

/** A stretch of time under one split. */
interface Era {
  readonly sinceMs: number
  readonly split: EvenSplit
}

/** What tenants may use of one resource in this process: one set of allowances for all gates that name it. */
export class Resource {
  /** Of work that names no tenant, as one tenant with the default quota. */
  readonly none: Allowance
  /** Of tenants without an account, as one tenant with the default quota. */
  readonly other: Allowance
  readonly name: string
  /** Gates that draw on it. */
  users = 0
  /** Whether tenants without a quota of their own are let in. */
  unlistedMayPass: boolean
  readonly #allowances = new Map<string, Allowance>()
  #rules: TenantRules
  #quotas: ReadonlyMap<string, Quota>
  /** The present split and the one before, which is all that an untouched bucket needs to be right or a little short. */
  #eras: readonly Era[]

  constructor(name: string, rules: TenantRules, nowMs: number) {
    this.name = name
    this.#rules = rules
    this.unlistedMayPass = rules.tenants.unknown === 'allow'
    this.#quotas = new Map(Object.entries(rules.quotas))
    this.#eras = [{ sinceMs: nowMs, split: rules.split }]
    this.none = this.#create(NO_TENANT, undefined)
    this.other = this.#create(OTHER_TENANTS, undefined)
    this.#lease(nowMs)
  }

  lists(name: string): boolean {
    return this.#quotas.has(name)
  }

  /** For one more gate. */
  open(name: string, nowMs: number): Allowance {
    const allowance = this.#allowances.get(name) ?? this.#create(name, this.#quotas.get(name))
    this.#allowances.set(name, allowance)
    allowance.users++
    this.#lead(allowance, nowMs)
    return allowance
  }

  /** A gate has no account of it any more. One that is still in use is forgotten when new rules come and it is not. */
  close(allowance: Allowance, nowMs: number): void {
    allowance.users--
    this.#forget(allowance, nowMs)
  }

  /** New rules, all use kept. Every gate says them; the first one moves all. */
  apply(rules: TenantRules, nowMs: number): void {
    const before = this.#rules
    if (before.quotas === rules.quotas && same(before, rules)) return
    const began = !limits(before)
    this.#rules = rules
    this.unlistedMayPass = rules.tenants.unknown === 'allow'
    this.#quotas = new Map(Object.entries(rules.quotas))
    const era = { sinceMs: nowMs, split: rules.split }
    const moved = before.split.agents !== rules.split.agents || before.split.rank !== rules.split.rank
    if (began) this.#eras = [era]
    else if (moved) this.#eras = [...this.#eras.slice(-1), era]
    this.#move(this.none, undefined, nowMs)
    this.#move(this.other, undefined, nowMs)
    for (const allowance of this.#allowances.values()) {
      this.#move(allowance, this.#quotas.get(allowance.name), nowMs)
      this.#forget(allowance, nowMs)
    }
    this.#lease(nowMs)
  }

  /** No gate draws on it any more. */
  end(): void {
    for (const { leased } of this.#allowances.values()) leased?.end()
  }

  /** Those with a quota of their own are asked for before their first work comes, as far as there is room. */
  #lease(nowMs: number): void {
    const { leases } = this.#rules
    if (!leases) return
    for (const [name, quota] of this.#quotas) {
      if (!leases.hasRoomFor({ resource: this.name, tenant: name })) return
      if (this.#allowances.has(name)) continue
      const allowance = this.#create(name, quota)
      this.#allowances.set(name, allowance)
      this.#lead(allowance, nowMs)
    }
  }

  /** Puts an allowance under its leases: until there are any nothing passes. */
  #lead(allowance: Allowance, nowMs: number): void {
    const { leases, tenants } = this.#rules
    if (!leases || !allowance.listed || allowance.leased?.isDrawn) return
    const { quota, name } = allowance
    if (allowance.leased === null) {
      if (quota.rate !== null) {
        allowance.bucket ??= new Bucket(NO_FLOW, nowMs)
        allowance.bucket.reshare(NO_FLOW, nowMs)
      }
      allowance.leased = new Leased(this.name, name, allowance, leases)
      allowance.leased.obey(quota, tenants, nowMs)
    }
    leases.add(allowance.leased, nowMs)
  }

  #forget(allowance: Allowance, nowMs: number): void {
    if (allowance.users === 0 && allowance.idle(nowMs)) this.#allowances.delete(allowance.name)
  }

  /** A bucket as if it had stood there untouched since the first era: a first request finds what the tenant's share has earned. */
  #create(name: string, own: Quota | undefined): Allowance {
    const quota = own ?? this.#rules.tenants.default
    let bucket: Bucket | null = null
    for (const era of this.#eras) {
      const flow = flowOf(shareOfQuota(quota, era.split, name))
      if (flow === null) break
      if (bucket === null) bucket = new Bucket(flow, era.sinceMs)
      else bucket.reshare(flow, era.sinceMs)
    }
    const { concurrency } = shareOfQuota(quota, this.#rules.split, name)
    return new Allowance(name, own !== undefined, quota, bucket, concurrency)
  }

  #move(allowance: Allowance, own: Quota | undefined, nowMs: number): void {
    const quota = own ?? this.#rules.tenants.default
    const { leases } = this.#rules
    if (own !== undefined && leases) {
      this.#moveLeased(allowance, own, leases, nowMs)
      return
    }
    allowance.leased?.end()
    allowance.leased = null
    const kept = flowOf(shareOfQuota(allowance.quota, this.#rules.split, allowance.name))
    const share = shareOfQuota(quota, this.#rules.split, allowance.name)
    const flow = flowOf(share)
    if (flow === null) allowance.bucket = null
    else if (allowance.bucket === null || kept === null) allowance.bucket = new Bucket(flow, nowMs)
    else {
      allowance.bucket.reshare(kept, nowMs)
      allowance.bucket.edit(flow, nowMs)
    }
    allowance.listed = own !== undefined
    allowance.quota = quota
    allowance.concurrency = share.concurrency
  }

  #moveLeased(allowance: Allowance, quota: Quota, leases: Leases, nowMs: number): void {
    const changed = JSON.stringify(allowance.quota) !== JSON.stringify(quota)
    allowance.listed = true
    allowance.quota = quota
    if (quota.rate === null) allowance.bucket = null
    else allowance.bucket ??= new Bucket(NO_FLOW, nowMs)
    if (quota.concurrency === null) allowance.concurrency = null
    if (allowance.leased === null) this.#lead(allowance, nowMs)
    else {
      allowance.leased.obey(quota, this.#rules.tenants, nowMs)
      // What of it is limited is perhaps something else now.
      if (changed && allowance.leased.isDrawn) leases.add(allowance.leased, nowMs)
    }
  }
}

/** The resources of a process, by name. One that no gate draws on is forgotten. */
export class Resources {
  readonly #all = new Map<string, Resource>()

  open(name: string, rules: TenantRules, nowMs: number): Resource {
    const resource = this.#all.get(name) ?? new Resource(name, rules, nowMs)
    this.#all.set(name, resource)
    resource.apply(rules, nowMs)
    resource.users++
    return resource
  }

  close(name: string): void {
    const resource = this.#all.get(name)
    if (resource === undefined || --resource.users > 0) return
    this.#all.delete(name)
    resource.end()
  }
}

const NO_FLOW: Flow = { rate: 0, burst: 0 }

const flowOf = (share: Quota): Flow | null =>
  share.rate === null ? null : { rate: share.rate, burst: share.burst ?? 0 }

const same = (a: TenantRules, b: TenantRules): boolean =>
  a.tenants === b.tenants &&
  (a.leases ?? null) === (b.leases ?? null) &&
  a.split.agents === b.split.agents &&
  a.split.rank === b.split.rank

/** Whether any tenant's rate is limited. */
const limits = (rules: TenantRules): boolean =>
  rules.tenants.default.rate !== null || Object.values(rules.quotas).some((quota) => quota.rate !== null)
