import type { EffectivePolicy } from '@weir/policy/model'
import type { EffectivePolicies } from '../policies/effective-policies.ts'
import type { WatchedService } from './alert-book.ts'
import type { Published } from './expectation.ts'

/** What rules need of a service's effective policy. */
export interface PublishedService {
  readonly gates: ReadonlyMap<string, Published & { readonly resource: string }>
  /** Rates by resource, then tenant, per second. */
  readonly rates: ReadonlyMap<string, ReadonlyMap<string, number>>
}

const NOTHING: PublishedService = { gates: new Map(), rates: new Map() }

/** The published limits of every service, read once a revision. */
export class PublishedLimits {
  readonly #policies: EffectivePolicies
  #known = new Map<string, { readonly hash: string; readonly published: PublishedService }>()

  constructor(policies: EffectivePolicies) {
    this.#policies = policies
  }

  async of({ serviceId, hash }: WatchedService): Promise<PublishedService> {
    if (hash === null) return NOTHING
    const known = this.#known.get(serviceId)
    if (known?.hash === hash) return known.published
    const latest = await this.#policies.latest(serviceId)
    if (latest === null) return NOTHING
    const published = limitsOf(JSON.parse(latest.effective) as EffectivePolicy)
    this.#known.set(serviceId, { hash: latest.hash, published })
    return published
  }

  /** Forgets services that are gone. */
  keep(serviceIds: ReadonlySet<string>): void {
    for (const id of this.#known.keys()) if (!serviceIds.has(id)) this.#known.delete(id)
  }
}

const limitsOf = ({ policy, quotas }: EffectivePolicy): PublishedService => ({
  gates: new Map(
    Object.entries(policy.gates).map(([name, { resource, queue, concurrency, classes }]) => [
      name,
      {
        resource,
        maxWaitMs: queue.maxWaitMs,
        limit: concurrency.algorithm === 'fixed' ? concurrency.initial : concurrency.ceiling,
        reserved: Object.entries(classes.reserves)
          .filter(([, share]) => share > 0)
          .map(([criticality]) => criticality),
      },
    ]),
  ),
  rates: new Map(
    Object.entries(quotas).map(([resource, tenants]) => [
      resource,
      new Map(
        Object.entries(tenants).flatMap(([tenant, { rate }]) => (rate === null ? [] : [[tenant, rate] as const])),
      ),
    ]),
  ),
})
