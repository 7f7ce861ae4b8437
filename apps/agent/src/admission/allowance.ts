import type { Quota } from '@weir/policy/model'
import type { Clock } from '../core/clock.ts'
import type { Leased } from '../leases/leased.ts'
import type { Bucket, Reading } from './bucket.ts'
import { ACCEPT, TENANT_CONCURRENCY, TENANT_RATE } from './reasons.ts'

/** What one tenant may use of a resource in this process, and what it uses, over all gates that draw on the resource. */
export class Allowance {
  // What each decision touches is side by side.
  /** This agent's share, `null` = not limited. */
  bucket: Bucket | null
  concurrency: number | null
  /** Where the share is leased; `null` = an even part. */
  leased: Leased | null = null
  /** Work that counts against the concurrency: running, zombie, or waiting. */
  held = 0
  /** Has a quota of its own, so always an account of its own. */
  listed: boolean
  readonly name: string
  /** Fleet-wide. */
  quota: Quota
  /** Gates that have an account of this tenant. */
  users = 0

  constructor(name: string, listed: boolean, quota: Quota, bucket: Bucket | null, concurrency: number | null) {
    this.name = name
    this.listed = listed
    this.quota = quota
    this.bucket = bucket
    this.concurrency = concurrency
  }

  /** `ACCEPT`, or the reason why not. Takes nothing. */
  verdict(units: number, clock: Clock): number {
    if (this.leased !== null && clock.now() >= this.leased.nextMs) this.leased.settle(clock.now())
    if (this.concurrency !== null && this.held >= this.concurrency) return this.#lacksSlot(clock)
    if (this.bucket !== null && !this.bucket.holds(units) && !this.bucket.has(units, clock.now()))
      return this.#lacksRate(units, clock)
    return ACCEPT
  }

  /** At the clock's last reading. */
  take(units: number, clock: Reading): void {
    this.held++
    if (this.bucket !== null) this.bucket.take(units, clock)
    if (this.leased !== null) this.leased.started(units)
  }

  leave(): void {
    this.held--
    if (this.leased !== null) this.leased.ended()
  }

  /** Of work that waited and never started. */
  giveBack(units: number): void {
    this.held--
    if (this.bucket !== null) this.bucket.giveBack(units)
    if (this.leased !== null) this.leased.returned(units)
  }

  /** Forgetting it changes nothing: nothing runs or waits, nothing is owed. */
  idle(nowMs: number): boolean {
    return this.held === 0 && this.leased === null && (this.bucket === null || this.bucket.full(nowMs))
  }

  #lacksSlot(clock: Clock): number {
    if (this.leased !== null) this.leased.lackedSlot(clock)
    return TENANT_CONCURRENCY
  }

  #lacksRate(units: number, clock: Clock): number {
    if (this.leased !== null) this.leased.lackedRate(units, clock)
    return TENANT_RATE
  }
}
