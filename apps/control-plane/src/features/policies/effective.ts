import { canonical, type EffectivePolicy, LIMITS, type Policy, type Quota, type Quotas } from '@weir/policy'
import { policyHash } from '@weir/policy/hash'
import { done, type Result, refused } from '../result.ts'

export interface QuotaEntry extends Quota {
  readonly resource: string
  readonly tenant: string
}

/** Canonical JSON of an effective policy and its hash; `null` hash has no meaning, an empty policy has one too. */
export interface EncodedEffective {
  readonly effective: string
  readonly hash: string
}

/** Quotas by resource, then tenant. Maps without a prototype: a tenant may be called `__proto__`. */
export const quotasOf = (entries: readonly QuotaEntry[]): Quotas => {
  const quotas: Record<string, Record<string, Quota>> = Object.create(null)
  for (const { resource, tenant, rate, burst, concurrency, weight } of entries) {
    quotas[resource] ??= Object.create(null) as Record<string, Quota>
    Object.assign(quotas[resource], { [tenant]: { rate, burst, concurrency, weight } })
  }
  return quotas
}

const encoder = new TextEncoder()

/** Joins a policy with its quotas. Refused past 10,000 quotas or 1 MiB of canonical JSON: agents could not take it. */
export const encodeEffective = (policy: Policy, entries: readonly QuotaEntry[]): Result<EncodedEffective> => {
  if (entries.length > LIMITS.quotas)
    return refused('conflict', `A service has at most ${LIMITS.quotas} tenant quotas.`)
  const value: EffectivePolicy = { policy, quotas: quotasOf(entries) }
  const effective = canonical(value)
  if (encoder.encode(effective).length > LIMITS.effectiveBytes)
    return refused('too-large', 'The policy and its quotas together pass 1 MiB: agents could not take it.')
  return done({ effective, hash: policyHash(value) })
}
