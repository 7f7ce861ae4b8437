import type { Account } from './account.ts'
import type { LeaseTiming } from './timing.ts'

/**
 * What is outstanding of one quota over the time to come, slot by slot up to the end of a lease that is granted now. A slot that comes into view holds
 * the safe capacities at most, which sum to no more than the quota, since every lease has ended by then; after that each grant is bounded by what is
 * left in every slot. So no moment passes its limit, whatever arrives or is lost.
 */
export class Calendar {
  readonly #slotMs: number
  readonly #length: number
  readonly #outstanding: Float64Array
  /** The largest quota that may still be in use in a slot. */
  readonly #limits: Float64Array
  #first: number
  #capacity: number

  constructor({ slotMs, lengthMs }: LeaseTiming, capacity: number, nowMs: number) {
    this.#slotMs = slotMs
    this.#length = Math.ceil(lengthMs / slotMs) + 1
    this.#outstanding = new Float64Array(this.#length)
    this.#limits = new Float64Array(this.#length).fill(capacity)
    this.#first = Math.floor(nowMs / slotMs)
    this.#capacity = capacity
  }

  /** End of the last slot in view. */
  get endMs(): number {
    return (this.#first + this.#length) * this.#slotMs
  }

  /** A larger quota holds at once; a smaller one once every lease under the larger has ended. */
  setCapacity(capacity: number): void {
    this.#capacity = capacity
    for (const [i, limit] of this.#limits.entries()) if (limit < capacity) this.#limits[i] = capacity
  }

  /** Brings the slots from `nowMs` on into view. */
  advance(nowMs: number, accounts: Iterable<Account>): void {
    const first = Math.floor(nowMs / this.#slotMs)
    if (first <= this.#first) return
    const fresh = Math.max(first, this.#first + this.#length)
    this.#first = first
    for (let slot = fresh; slot < first + this.#length; slot++) {
      this.#outstanding[slot % this.#length] = 0
      this.#limits[slot % this.#length] = this.#capacity
    }
    for (const account of accounts) this.#add(account, fresh, 1)
  }

  add(account: Account): void {
    this.#add(account, this.#first, 1)
  }

  remove(account: Account): void {
    this.#add(account, this.#first, -1)
  }

  /**
   * Most that may be granted to an account which is *not* added at present. `kept` units of every limit are for newcomers: they are left alone, but what
   * the account has already it keeps, though the newcomers took more.
   */
  room(account: Account, kept: number): number {
    let room = Number.POSITIVE_INFINITY
    for (let slot = this.#first; slot < this.#first + this.#length; slot++) {
      const place = slot % this.#length
      const left = (this.#limits[place] ?? 0) - (this.#outstanding[place] ?? 0)
      if (left - kept >= room) continue
      const has = account.usable(slot * this.#slotMs, (slot + 1) * this.#slotMs)
      room = Math.min(room, Math.max(left - kept, Math.min(left, has)))
    }
    return Math.max(0, room)
  }

  #add(account: Account, from: number, sign: 1 | -1): void {
    for (let slot = from; slot < this.#first + this.#length; slot++) {
      const place = slot % this.#length
      const usable = account.usable(slot * this.#slotMs, (slot + 1) * this.#slotMs)
      this.#outstanding[place] = (this.#outstanding[place] ?? 0) + sign * usable
    }
  }
}
