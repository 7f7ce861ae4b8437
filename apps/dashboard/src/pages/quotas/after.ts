import type { LeasedQuota, Leases } from '@weir/api'

/** What of a quota may be used in sum from a moment on, and whether that is outside of what is promised. */
export interface Stage {
  readonly fromMs: number
  readonly units: number
  readonly outside: boolean
}

type Rule = Pick<Leases, 'expiry' | 'holdSeconds'>

/**
 * What of a quota agents would use if nobody answered them from now on: at first their leases, which all end within `endInMs`; held for a while where that
 * is the rule; then the lesser of lease and safe capacity, once their waits are over the safe capacities, and nothing once they count as dead.
 */
export const afterwards = (quota: LeasedQuota, { expiry, holdSeconds }: Rule): readonly Stage[] => {
  const { granted, waiting, safe, endInMs, stepInMs, deadInMs } = quota
  const now = { fromMs: 0, units: granted, outside: false }
  const dead = { fromMs: deadInMs, units: 0, outside: false }
  if (expiry === 'deny') return [now, { fromMs: endInMs, units: 0, outside: false }]
  const heldMs = expiry === 'hold' ? holdSeconds * 1_000 : 0
  const held = heldMs > 0 ? [{ fromMs: endInMs, units: granted, outside: true }] : []
  const overMs = endInMs + heldMs
  const waits = stepInMs > overMs ? [{ fromMs: overMs, units: waiting, outside: false }] : []
  return [now, ...held, ...waits, { fromMs: Math.max(stepInMs, overMs), units: safe, outside: false }, dead]
}
