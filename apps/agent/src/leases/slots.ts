import type { HeldLease, LeaseGrant } from '@weir/policy/model'
import { Lease } from './held.ts'

/** Leased slots: how many may be taken at each moment. Work that runs is never ended: what is over a smaller lease drains. */
export class LeasedSlots {
  readonly lease = new Lease()
  /** When it changes by itself; `Infinity`: never. */
  nextMs = Number.POSITIVE_INFINITY
  readonly #limit: (slots: number) => void
  #quota: number
  /** As of the last `settle`. */
  usable = 0

  /** `quota` is the whole fleet's; `limit` is told how many slots there are. */
  constructor(quota: number, limit: (slots: number) => void) {
    this.#quota = quota
    this.#limit = limit
    limit(0)
  }

  settle(nowMs: number): void {
    if (nowMs >= this.nextMs) this.#set(nowMs)
  }

  /** Another quota is in force: a lease that was cut from a larger one counts as the same part of this one, and one slot stays where there was any. */
  obey(quota: number, nowMs: number): void {
    this.#quota = quota
    this.#set(nowMs)
  }

  /** As `Lease.take`. */
  take(grant: LeaseGrant, askedMs: number, nowMs: number): boolean {
    const shrunk = this.lease.take(grant, askedMs, nowMs)
    this.#set(nowMs)
    return shrunk
  }

  /** As `Lease.told`. */
  told(nowMs: number): HeldLease | null {
    return this.lease.told(nowMs)
  }

  /** As `Lease.cap`. */
  cap(nowMs: number): void {
    this.lease.cap()
    this.#set(nowMs)
  }

  /** As `Lease.drop`. */
  drop(nowMs: number): void {
    this.lease.drop()
    this.#set(nowMs)
  }

  #set(nowMs: number): void {
    this.nextMs = this.lease.changesAfter(nowMs)
    const units = this.lease.usable(nowMs)
    const whole = this.lease.quota
    const part = whole > this.#quota ? Math.floor((units * this.#quota) / whole) : units
    this.usable = Math.max(part, Math.min(1, units, this.#quota))
    this.#limit(this.usable)
  }
}
