/**
 * A share of one fleet-wide quota, as the control plane grants it to one agent. Durations only: clocks of two machines are not compared, and each side
 * counts against itself. Units are whole: slots of a concurrency, or `RATE_GRAINS` to the unit of a rate.
 */
export interface LeaseGrant {
  /** Whose grants are numbered: another ledger does not know what this one granted. */
  readonly epoch: string
  /** Grows with each grant of this quota to this agent. */
  readonly id: number
  /** The whole that it is cut from: where a smaller quota is in force already, its part of that is. */
  readonly quota: number
  /** What may be used until the lease expires, `lengthMs` after the agent asked for it. */
  readonly units: number
  readonly lengthMs: number
  /** What may be used from `waitMs` after the answer came; until then the lesser of this and `units`. */
  readonly safe: number
  readonly waitMs: number
  /** From so long after the agent asked on, nothing: it counts as dead. */
  readonly deadMs: number
  /** When to ask again. */
  readonly refreshMs: number
}

/** A lease on one clock, milliseconds. */
export interface LeaseTerms {
  readonly units: number
  readonly safe: number
  readonly expiresMs: number
  readonly stepMs: number
  readonly deadMs: number
}

/** What an agent says that it holds, for a ledger that does not know. */
export interface HeldLease {
  readonly epoch: string
  readonly id: number
  readonly units: number
  readonly safe: number
  /** Until it expires, until `safe` may be used in full, and until it counts as dead; 0: past. */
  readonly expiresInMs: number
  readonly stepInMs: number
  readonly deadInMs: number
}

/** What an agent says of one quota each time it asks. */
export interface LeaseAsk {
  readonly agent: string
  readonly weight: number
  /** What it could use, whole units. */
  readonly want: number
  /** What it would take beside, where nobody wants it: room for a demand that grows before the next question. */
  readonly spare: number
  /** What it used of late, whole units: for screens only. */
  readonly used: number
  /** Slots that are taken now; 0 for a rate. */
  readonly inUse: number
  /** `null`: never had one. */
  readonly held: HeldLease | null
}

/** What of a tenant's quota of a resource is leased. */
export interface LeaseName {
  readonly resource: string
  readonly tenant: string
  readonly kind: 'rate' | 'slots'
}

/** What one agent asks at once, is granted, and says that it obeys without asking: a list of these, one for each lease. */
export type LeaseAsked = LeaseName & Omit<LeaseAsk, 'agent' | 'weight'>
export type LeaseGranted = LeaseName & { readonly grant: LeaseGrant }
export type LeaseObeyed = LeaseName & { readonly held: HeldLease; readonly inUse: number }

/** Names of resources have no spaces. */
export const leaseKey = ({ kind, resource, tenant }: LeaseName): string => `${kind} ${resource} ${tenant}`

/** The other way. */
export const leaseNameOf = (key: string): LeaseName => {
  const [kind = '', resource = ''] = key.split(' ', 2)
  const tenant = key.slice(kind.length + resource.length + 2)
  return { resource, tenant, kind: kind === 'slots' ? 'slots' : 'rate' }
}

/** Grains in which a rate is leased: a millionth of a unit per second. Whole numbers add up exactly. */
export const RATE_GRAINS = 1_000_000

/** By how much two clocks may run apart, as a share of the time that passes. */
export const CLOCK_DRIFT = 0.01

/**
 * What may be used at a moment: the lease until it expires, then at once the lesser of it and the safe capacity, which was never given to others, after
 * the wait the safe capacity (others' larger leases have run out by then), and nothing once the agent counts as dead.
 */
export const usableAt = ({ units, safe, expiresMs, stepMs, deadMs }: LeaseTerms, atMs: number): number => {
  if (atMs < expiresMs) return units
  if (atMs < stepMs) return Math.min(units, safe)
  return atMs < deadMs ? safe : 0
}
