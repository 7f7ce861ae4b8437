/** Bounds and timing of the dashboards' sockets. */
export const LIVE_BOUNDS = {
  /** Sockets of one replica: a wall of screens in every team's room. */
  sockets: 500,
  /** Sockets of one operator or token: tabs. */
  socketsPerIdentity: 20,
  heartbeatMs: 5_000,
  missedHeartbeats: 3,
  /** A session that was signed out is closed within 5 s: the check's period and its own time together stay below. */
  recheckMs: 2_500,
  messagesPerSecond: 5,
  rateWindowMs: 10_000,
  /** Above this many unsent bytes ticks are skipped: a dashboard that is behind gets the newest second, not all of them. */
  slowBytes: 262_144,
  /** Above this the socket is closed: its dashboard reads everything anew when it comes back. */
  tooSlowBytes: 2_097_152,
} as const

/** Close codes of the live socket, beside the standard ones. */
export const LIVE_CLOSE = {
  shutdown: 1001,
  /** Malformed message. */
  protocol: 4400,
  /** Signed out, or the rights were taken back. */
  unauthenticated: 4401,
  tooMany: 4429,
} as const
