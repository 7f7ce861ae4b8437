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
  /** Oldest message that a policy may ask for: a week. */
  maxAgeMs: 604_800_000,
  /** Topics whose lag one service's quotas follow. */
  topics: 20,
  topicBytes: 249,
  rate: 1_000_000_000,
  attempts: 5,
  /** Longest that a lease may be held past its end: as long as an agent counts as alive. */
  holdSeconds: 600,
} as const

/** Names of gates, dependencies, resources, services: what survives a URL, a metric label and a shell unquoted. At most `LIMITS.nameBytes`. */
export const NAME = /^[a-z0-9]([a-z0-9._-]{0,126}[a-z0-9])?$/
