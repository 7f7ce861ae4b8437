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
}

/** An answer is known to have come by the next question: two refreshes, jitter and a loss are no silence yet. */
const NOTICE_REFRESHES = 4
const LENGTH_REFRESHES = 4

export const leaseTiming = (refreshMs: number, presumedDeadMs: number = WIRE.presumedDeadMs): LeaseTiming => {
  const slotMs = refreshMs / 2
  const lengthMs = LENGTH_REFRESHES * refreshMs
  return { refreshMs, lengthMs, slotMs, waitMs: lengthMs + 2 * slotMs + NOTICE_REFRESHES * refreshMs, presumedDeadMs }
}

/** How long a lowered quota may still be used in full: the longest lease, to the end of its slot. */
export const longestMs = ({ lengthMs, slotMs }: LeaseTiming): number => lengthMs + slotMs
