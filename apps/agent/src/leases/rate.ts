import { type HeldLease, type LeaseGrant, RATE_GRAINS } from '@weir/policy/model'
import { Lease } from './held.ts'

/** A rate, units per second, and its burst, units. */
export interface Flow {
  readonly rate: number
  readonly burst: number
}

/** What a lease feeds: a token bucket whose rate changes without a step. */
export interface Fed {
  /** The rate is another one from `nowMs` on, which is no earlier than any before: a gainer gets no tokens, a loser is clipped. */
  reshare(flow: Flow, nowMs: number): void
  /** The quota is another one: the difference of the bursts is added. */
  edit(flow: Flow, nowMs: number): void
}

/**
 * A leased rate: its bucket fills by what the lease let pass at each moment, also where nobody looked when it ended. The burst is leased in proportion:
 * the bursts of all agents sum to at most the quota's, apart from shares below one token, which save up to one.
 */
export class LeasedRate {
  readonly lease = new Lease()
  /** When it changes by itself; `Infinity`: never. */
  nextMs = Number.POSITIVE_INFINITY
  readonly #bucket: Fed
  #quota: Flow
  #rate = 0

  /** `quota` is the whole fleet's. */
  constructor(quota: Flow, bucket: Fed) {
    this.#bucket = bucket
    this.#quota = quota
  }

  /** Units per second that may be used, as of the last `settle`. */
  get usable(): number {
    return this.#rate
  }

  /** Before each use of the bucket: one comparison, unless the lease has changed by itself. */
  settle(nowMs: number): void {
    while (nowMs >= this.nextMs) this.#feed(this.nextMs)
  }

  /** Another quota is in force: a lease that was cut from a larger one counts as the same part of this one, at once. */
  obey(quota: Flow, nowMs: number): void {
    this.settle(nowMs)
    this.#quota = quota
    this.nextMs = this.lease.changesAfter(nowMs)
    this.#rate = this.#rateAt(nowMs)
    this.#bucket.edit(this.#flow(), nowMs)
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

  /** As `Lease.cap`. */
  cap(nowMs: number): void {
    this.settle(nowMs)
    this.lease.cap()
    this.#feed(nowMs)
  }

  /** As `Lease.drop`. */
  drop(nowMs: number): void {
    this.settle(nowMs)
    this.lease.drop()
    this.#feed(nowMs)
  }

  #feed(atMs: number): void {
    this.nextMs = this.lease.changesAfter(atMs)
    const rate = this.#rateAt(atMs)
    if (rate === this.#rate) return
    this.#rate = rate
    this.#bucket.reshare(this.#flow(), atMs)
  }

  #rateAt(atMs: number): number {
    const whole = this.lease.quota
    const part = whole > 0 ? Math.min(1, (this.#quota.rate * RATE_GRAINS) / whole) : 1
    return (this.lease.usable(atMs) * part) / RATE_GRAINS
  }

  #flow(): Flow {
    const { rate, burst } = this.#quota
    return { rate: this.#rate, burst: rate > 0 ? (this.#rate * burst) / rate : 0 }
  }
}
