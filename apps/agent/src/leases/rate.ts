import { type HeldLease, type LeaseGrant, RATE_GRAINS } from '@weir/policy/model'
import { Lease } from './held.ts'

/** A rate, units per second, and its burst, units. */
interface Flow {
  readonly rate: number
  readonly burst: number
}

/** What a lease feeds: a token bucket whose rate changes without a step. */
export interface Fed {
  /** The rate is another one from `nowMs` on, which is no earlier than any before: a gainer gets no tokens, a loser is clipped. */
  reshare(flow: Flow, nowMs: number): void
}

/**
 * A leased rate: its bucket fills by what the lease let pass at each moment, also where nobody looked when it ended. The burst is leased in proportion:
 * the bursts of all agents sum to at most the quota's, apart from shares below one token, which save up to one.
 */
export class LeasedRate {
  readonly lease = new Lease()
  readonly #bucket: Fed
  readonly #burstSeconds: number
  #units = 0
  #nextMs = Number.POSITIVE_INFINITY

  /** `quota` is the whole fleet's. */
  constructor(quota: Flow, bucket: Fed) {
    this.#bucket = bucket
    this.#burstSeconds = quota.rate > 0 ? quota.burst / quota.rate : 0
  }

  /** Before each use of the bucket: one comparison, unless the lease has changed by itself. */
  settle(nowMs: number): void {
    while (nowMs >= this.#nextMs) this.#feed(this.#nextMs)
  }

  /** As `Lease.take`. */
  take(grant: LeaseGrant, askedMs: number, nowMs: number): boolean {
    this.settle(nowMs)
    const shrunk = this.lease.take(grant, askedMs, nowMs)
    this.#feed(nowMs)
    return shrunk
  }

  /** As `Lease.told`. */
  told(nowMs: number): HeldLease | null {
    return this.lease.told(nowMs)
  }

  #feed(atMs: number): void {
    const units = this.lease.usable(atMs)
    this.#nextMs = this.lease.changesAfter(atMs)
    if (units === this.#units) return
    this.#units = units
    const rate = units / RATE_GRAINS
    this.#bucket.reshare({ rate, burst: rate * this.#burstSeconds }, atMs)
  }
}
