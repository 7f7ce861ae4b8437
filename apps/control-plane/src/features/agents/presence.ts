/** What presence is read from. Times are wall-clock milliseconds: they survive a restart. */
export interface Sighting {
  readonly connected: boolean
  readonly lastHeardAtMs: number
  /** Said bye, or was presumed dead. */
  readonly endedAtMs: number | null
}

export type Presence = 'live' | 'lost' | 'ended'

export interface PresenceTiming {
  readonly heartbeatMs: number
  readonly missedHeartbeats: number
  readonly presumedDeadMs: number
}

/**
 * live: connected, or heard within three heartbeats (polling counts); lost: silent, still counted in the split;
 * ended: bye, or silent for `presumedDeadMs`.
 */
export const presenceOf = (sighting: Sighting, nowMs: number, timing: PresenceTiming): Presence => {
  if (sighting.endedAtMs !== null) return 'ended'
  const silentMs = nowMs - sighting.lastHeardAtMs
  if (sighting.connected || silentMs <= timing.heartbeatMs * timing.missedHeartbeats) return 'live'
  return silentMs < timing.presumedDeadMs ? 'lost' : 'ended'
}

/**
 * Whether a silent agent's share may be given to others: `presumedDeadMs` without a word, of which this control plane
 * must have listened for `graceMs` itself, since nobody can be heard by a process that is down.
 */
export const isPresumedDead = (
  lastHeardAtMs: number,
  nowMs: number,
  listeningSinceMs: number,
  timing: { readonly presumedDeadMs: number; readonly reconnectGraceMs: number },
): boolean =>
  nowMs - lastHeardAtMs >= timing.presumedDeadMs &&
  nowMs - listeningSinceMs >= Math.min(timing.reconnectGraceMs, timing.presumedDeadMs)
