import { CLOCK_DRIFT, type HeldLease, type LeaseGrant, type LeaseTerms } from '@weir/policy/model'
import type { Sent } from './account.ts'

/** A grant on the control plane's clock, from when it answers: whatever the agent counts from came before. */
export const counted = (grant: LeaseGrant, nowMs: number): Sent => ({
  id: grant.id,
  units: grant.units,
  safe: grant.safe,
  expiresMs: nowMs + grant.lengthMs,
  stepMs: nowMs + grant.waitMs,
  deadMs: nowMs + grant.deadMs,
})

/** What an agent said some time since its connection began, on a clock that may run by the drift faster or slower. */
export const declared = (held: HeldLease, nowMs: number, openedMs: number): LeaseTerms => ({
  units: held.units,
  safe: held.safe,
  expiresMs: nowMs + held.expiresInMs * (1 + CLOCK_DRIFT),
  stepMs: openedMs + held.stepInMs * (1 - CLOCK_DRIFT),
  deadMs: nowMs + held.deadInMs * (1 + CLOCK_DRIFT),
})

/** What an agent may use as it says so: its lease, then the lesser of it and the safe capacity, then the safe capacity. */
export const usableOf = (held: HeldLease | null): number => {
  if (held === null || held.deadInMs <= 0) return 0
  if (held.expiresInMs > 0) return held.units
  return held.stepInMs > 0 ? Math.min(held.units, held.safe) : held.safe
}
