import { WIRE } from '@weir/wire'

/** How long leases last, milliseconds. */
export interface LeaseTiming {
  /** An agent asks this often, give or take a tenth. */
  readonly refreshMs: number
  /** Longest lease: three answers in a row may be lost. */
  readonly lengthMs: number
  /** Grain of the calendar in which outstanding leases are added up. */
  readonly slotMs: number
  /** From an answer to the full use of the safe capacity: whatever was leased to others before the silence was noticed has run out by then. */
  readonly waitMs: number
  readonly presumedDeadMs: number
  /** Longest lease that a book before this one may have granted: it may have been of another pace. */
  readonly formerLengthMs: number
}

/** An answer is known to have come by the next question: two refreshes, jitter and a loss are no silence yet. */
const NOTICE_REFRESHES = 4
const LENGTH_REFRESHES = 4

/** `formerRefreshMs`: the slowest pace that a book of this service can have had. */
export const leaseTiming = (
  refreshMs: number,
  presumedDeadMs: number = WIRE.presumedDeadMs,
  formerRefreshMs: number = refreshMs,
): LeaseTiming => {
  const slotMs = refreshMs / 2
  const lengthMs = LENGTH_REFRESHES * refreshMs
  const formerLengthMs = LENGTH_REFRESHES * Math.max(refreshMs, formerRefreshMs)
  const waitMs = Math.max(lengthMs + NOTICE_REFRESHES * refreshMs, formerLengthMs) + 2 * slotMs
  return { refreshMs, lengthMs, slotMs, waitMs, presumedDeadMs, formerLengthMs }
}

/** How long a lowered quota may still be used in full: the longest lease, to the end of its slot. */
export const longestMs = ({ lengthMs, slotMs }: LeaseTiming): number => lengthMs + slotMs
