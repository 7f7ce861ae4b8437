import type { ConcurrencyPolicy } from '@weir/policy/model'

/**
 * What is the limit: the one port between enforcement and the algorithms, which never see work. Milliseconds are time in the slot, without the wait
 * in the queue; in flight are the slots in use, the work itself included.
 */
export interface Limit {
  /** Whole slots, never below 1. */
  readonly slots: number
  /** Work ended well, at `nowMs`, after `ms` of processing. */
  sample(ms: number, inFlight: number, nowMs: number): void
  /** As `sample`, but its deadline had passed. */
  overrun(ms: number, inFlight: number, nowMs: number): void
  /** Work met overload. */
  drop(inFlight: number, nowMs: number): void
  /** Work started that had to wait for a slot. */
  waited(): void
}

/** The limit is `initial`, whatever happens. */
export class FixedLimit implements Limit {
  readonly slots: number

  constructor(policy: ConcurrencyPolicy) {
    this.slots = Math.max(1, Math.floor(policy.initial) || 1)
  }

  sample(): void {}

  overrun(): void {}

  drop(): void {}

  waited(): void {}
}
