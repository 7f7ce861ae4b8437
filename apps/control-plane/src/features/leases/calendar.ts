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
   * Most that may be granted, up to `untilMs`, to an account which is *not* added at present. `kept` units of every limit are for newcomers: they are left
   * alone, but what the account has already it keeps, though the newcomers took more.
   */
  room(account: Account, kept: number, untilMs: number): number {
    let room = Number.POSITIVE_INFINITY
    for (let slot = this.#first; slot * this.#slotMs < untilMs; slot++)
      room = Math.min(room, this.#roomIn(slot, account, kept))
    return Math.max(0, room)
  }

  /** Until when so many units fit: the beginning of the first slot in which they do not, or the end of the view. */
  fitUntilMs(account: Account, kept: number, units: number): number {
    let slot = this.#first
    while (slot < this.#first + this.#length && this.#roomIn(slot, account, kept) >= units) slot++
    return slot * this.#slotMs
  }

  /** Least that is left in any slot from `fromMs` on. */
  leftFrom(fromMs: number): number {
    let least = Number.POSITIVE_INFINITY
    for (let slot = Math.floor(fromMs / this.#slotMs); slot < this.#first + this.#length; slot++)
      least = Math.min(least, this.#leftIn(slot))
    return Math.max(0, least)
  }

  #leftIn(slot: number): number {
    const place = slot % this.#length
    return (this.#limits[place] ?? 0) - (this.#outstanding[place] ?? 0)
  }

  #roomIn(slot: number, account: Account, kept: number): number {
    const left = this.#leftIn(slot)
    if (kept === 0) return left
    const has = account.usable(slot * this.#slotMs, (slot + 1) * this.#slotMs)
    return Math.max(left - kept, Math.min(left, has))
  }

  #add(account: Account, from: number, sign: 1 | -1): void {
    for (let slot = from; slot < this.#first + this.#length; slot++) {
      const place = slot % this.#length
      const usable = account.usable(slot * this.#slotMs, (slot + 1) * this.#slotMs)
      this.#outstanding[place] = (this.#outstanding[place] ?? 0) + sign * usable
    }
  }
}
