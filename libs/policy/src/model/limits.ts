/** Hard bounds of a policy: nothing in Weir is unbounded. Sources: the contract, and what one process can hold. */
export const LIMITS = {
  /** Gates, and dependencies, of one service. */
  items: 500,
  nameBytes: 128,
  tenantBytes: 128,
  /** Explicit tenant quotas of one (environment, service). */
  quotas: 10_000,
  /** Canonical JSON of an effective policy, bytes. */
  effectiveBytes: 1_048_576,
  /** A policy document as authored, bytes. */
  documentBytes: 262_144,
  slots: 100_000,
  queueItems: 1_000_000,
  /** One hour. */
  maxMs: 3_600_000,
  rate: 1_000_000_000,
  attempts: 5,
} as const
