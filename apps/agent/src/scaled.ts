import { type Quota, scaleQuota, type TenantsPolicy } from '@weir/policy/model'

/** The quotas of one resource, and what tenants without one of their own get. */
export interface ResourceQuotas {
  readonly quotas: Readonly<Record<string, Quota>>
  readonly tenants: TenantsPolicy
}

interface Made extends ResourceQuotas {
  readonly of: ResourceQuotas
  readonly scale: number
}

/** Quotas at the share of themselves that is in force. The same objects for as long as nothing changed: accounts look whether they are. */
export class Scaled {
  readonly #made = new Map<string, Made>()

  of(resource: string, whole: ResourceQuotas, scale: number): ResourceQuotas {
    if (scale >= 1) {
      this.#made.delete(resource)
      return whole
    }
    const before = this.#made.get(resource)
    if (before?.scale === scale && before.of.quotas === whole.quotas && before.of.tenants === whole.tenants)
      return before
    const made = { of: whole, scale, ...scaled(whole, scale) }
    this.#made.set(resource, made)
    return made
  }
}

const scaled = ({ quotas, tenants }: ResourceQuotas, scale: number): ResourceQuotas => {
  // Without a prototype: a tenant may be called `__proto__`.
  const smaller: Record<string, Quota> = Object.create(null)
  for (const [tenant, quota] of Object.entries(quotas)) smaller[tenant] = scaleQuota(quota, scale)
  return { quotas: smaller, tenants: { ...tenants, default: scaleQuota(tenants.default, scale) } }
}
