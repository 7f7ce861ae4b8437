import { LEASE_EXPIRIES } from '@weir/policy/model'
import { z } from 'zod'

/** One leased quota now: units per second of a rate, or slots. */
export const leasedQuotaSchema = z.object({
  resource: z.string(),
  tenant: z.string(),
  kind: z.enum(['rate', 'slots']),
  quota: z.number(),
  /** What the leases that run allow, in sum. */
  granted: z.number(),
  wanted: z.number(),
  used: z.number(),
  /** What may be used once all leases have ended and all waits are over; before that the lesser of each lease and safe capacity. */
  safe: z.number(),
  waiting: z.number(),
  /** Most that may be used now, whatever was lost on its way. */
  outstanding: z.number(),
  /** Held back for agents that are silent or unknown. */
  reserved: z.number(),
  /** Agents that draw on it. */
  agents: z.int(),
  /** From now until the last lease has ended, the last wait is over, and the last agent counts as dead. */
  endInMs: z.number(),
  stepInMs: z.number(),
  deadInMs: z.number(),
})
export type LeasedQuota = z.infer<typeof leasedQuotaSchema>

/** GET …/services/:service/leases: every quota that agents have asked for, by resource, tenant and kind. */
export const leasesSchema = z.object({
  /** How often agents ask; `null`: nothing is leased at present. */
  refreshMs: z.number().nullable(),
  expiry: z.enum(LEASE_EXPIRIES),
  holdSeconds: z.number(),
  /** Agents that were never answered and take an even part, outside of what is counted. */
  uncounted: z.int(),
  items: z.array(leasedQuotaSchema),
})
export type Leases = z.infer<typeof leasesSchema>

/** GET …/leases/:kind/:resource/:tenant/agents: leased, waits until others' leases have ended, or on its safe capacity. */
export const leaseShareSchema = z.object({
  instance: z.string(),
  stage: z.enum(['leased', 'waiting', 'safe']),
  wanted: z.number(),
  used: z.number(),
  usable: z.number(),
  safe: z.number(),
})
export type LeaseShare = z.infer<typeof leaseShareSchema>
