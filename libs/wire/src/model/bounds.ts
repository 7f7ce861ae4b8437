/** Bounds of the wire, and its timing. A message past a bound closes that socket with a reason, others unharmed. */
export const WIRE = {
  /** From an agent, bytes: reports of 500 gates and dependencies fit. */
  maxAgentMessageBytes: 262_144,
  /** From the control plane, bytes: an effective policy of 1 MiB in its envelope fits. */
  maxControlMessageBytes: 2_097_152,
  /** Messages per second and socket, averaged over `rateWindowMs`. */
  maxMessagesPerSecond: 20,
  rateWindowMs: 10_000,
  /** Hello must arrive within this after the upgrade. */
  helloTimeoutMs: 5_000,
  heartbeatMs: 5_000,
  missedHeartbeats: 3,
  reportMs: 1_000,
  /** Export interval up to `denseAgents` agents of a service, and above. */
  exportMs: 1_000,
  sparseExportMs: 10_000,
  denseAgents: 50,
  reconnectMinMs: 1_000,
  reconnectMaxMs: 30_000,
  /** Back-off after 401 or 403: a wrong key does not get better soon. */
  unauthorizedBackoffMs: 30_000,
  /** Polling interval of the fall-back. */
  pollMs: 5_000,
  /** A lost agent counts in the divisor until this. */
  presumedDeadMs: 600_000,
  /** Leases of one question: 500 of rates or slots, as many as fit into a message with the longest names. */
  leases: 500,
  /** Questions among which an agent divides its leases, where one does not hold them all. */
  leaseQuestions: 8,
  /** How often an agent asks until an answer says another; where it was never answered for so long it takes an even part. */
  leaseRefreshMs: 2_000,
  refusedProblems: 100,
  messageBytes: 1_000,
} as const

/** Close codes of the agent socket, beside the standard ones. */
export const CLOSE = {
  shutdown: 1001,
  tooBig: 1009,
  /** Malformed or unexpected message. */
  protocol: 4400,
  keyRevoked: 4401,
  /** No hello in time. */
  helloTimeout: 4408,
  /** The same instance connected again. */
  replaced: 4409,
  tooMany: 4429,
} as const
