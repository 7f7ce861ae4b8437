import type { Algorithm, ConcurrencyPolicy } from '@weir/policy/model'

/** What is the limit: the one port between enforcement and the algorithms, which never see work. */
export interface Limit {
  /** Whole slots, never below 1. */
  readonly slots: number
  /** Work ended well after `ms` of processing, queue wait left out, with `inFlight` slots in use while it ran. */
  sample(ms: number, inFlight: number): void
  /** Work met overload. */
  drop(inFlight: number): void
}

/** The limit is `initial`, whatever happens. */
export class FixedLimit implements Limit {
  readonly slots: number

  constructor(policy: ConcurrencyPolicy) {
    this.slots = Math.max(1, Math.floor(policy.initial))
  }

  sample(): void {}

  drop(): void {}
}

/** What this agent can do; another algorithm falls back to fixed, which its receipt says. */
export const SUPPORTED_ALGORITHMS: readonly Algorithm[] = ['fixed']

export const limitFor = (policy: ConcurrencyPolicy): Limit => new FixedLimit(policy)
