import { type Drain, WIRE } from '@weir/wire'

/** Bounds and timing of the agents' sockets that are the control plane's own; those that both ends know are in `WIRE`. */
export const AGENT_BOUNDS = {
  /** Sockets of one replica, all keys together. */
  sockets: 20_000,
  /** Connected instances of one key. */
  instancesPerKey: 500,
  /**
   * Instances of one key that count in the split, lost ones included, as a multiple of `instancesPerKey`: a roll-out that
   * replaces every process fits, a client that invents a new instance at each connection does not grow the divisor for ever.
   */
  membersPerInstance: 2,
  /** Hellos per second and key, after a burst: a whole fleet comes back at once. */
  hellosPerSecond: 50,
  helloBurst: 500,
  heartbeatMs: WIRE.heartbeatMs,
  missedHeartbeats: WIRE.missedHeartbeats,
  presumedDeadMs: WIRE.presumedDeadMs,
  /** Nothing shrinks the split within this of a start: the agents have not had time to come back. */
  startHoldMs: WIRE.heartbeatMs * WIRE.missedHeartbeats,
  /** Nobody is presumed dead within this of a start: an agent in its longest back-off comes first. */
  reconnectGraceMs: WIRE.reconnectMaxMs + WIRE.heartbeatMs * WIRE.missedHeartbeats,
  /** Above this many unsent bytes a socket gets nothing more until it has caught up, then the newest policy. */
  slowBytes: 65_536,
  /** A socket that stays so for this long is dropped, and at once one that has this many: two of the longest messages. */
  tooSlowMs: 30_000,
  tooSlowBytes: 2 * WIRE.maxControlMessageBytes,
  /** Re-sent leases per second and service: a join changes everybody's lease, so joins are gathered in large fleets. */
  leasesPerSecond: 5_000,
  /** Above `WIRE.denseAgents` exports and reports get sparse; back to dense only below this, so that one agent more or less does not flap. */
  denseAgainAgents: 40,
  sparseReportMs: 10_000,
  /** "Heard" is written this often per agent, in one statement for all: what is stored is at most two heartbeats and a second old. */
  presenceWriteMs: WIRE.heartbeatMs,
  /** Keys whose revocation is remembered, for a connection that was being checked meanwhile. */
  revokedKeys: 1_000,
  /** Other databases that agents of one service came from: each is audited once. */
  foreignDatabases: 20,
  /** Rows of one write, and receipts kept while the database is away. */
  writeRows: 2_000,
  receiptBuffer: 20_000,
  /** Rows of one live message; the rest follows a second later. */
  liveRows: 200,
  /** A planned restart: agents come back spread over this, longer where there are so many. */
  drainMinMs: 1_000,
  drainMaxMs: 5_000,
  drainMsPerAgent: 1,
} as const

export type AgentBounds = { readonly [K in keyof typeof AGENT_BOUNDS]: number }

/** When so many agents are to come back. */
export const drainOf = ({ drainMinMs: minMs, drainMaxMs, drainMsPerAgent }: AgentBounds, agents: number): Drain => ({
  type: 'drain',
  minMs,
  maxMs: Math.max(drainMaxMs, minMs + drainMsPerAgent * agents),
})
