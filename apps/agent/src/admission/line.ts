import { CRITICALITIES, type GatePolicy, type Mode } from '@weir/policy/model'
import type { Clock } from '../core/clock.ts'
import type { Alarm } from './alarm.ts'
import { ACCEPTED, type Books, CANCELLED_WAITING, OFFERED, refusedCell } from './books.ts'
import { isShed } from './class-slots.ts'
import type { Desk } from './desk.ts'
import type { Pressure } from './options.ts'
import { WaitQueue } from './queue.ts'
import {
  CLASS_SHED,
  EXPIRED_IN_QUEUE,
  LIMIT_REACHED,
  QUEUE_FULL,
  QUEUE_TIMEOUT,
  WAIT,
  WOULD_BE_LATE,
} from './reasons.ts'
import type { RefusalTable } from './refusals.ts'
import type { Tenant } from './tenant.ts'
import { Waiter } from './waiter.ts'
import type { Entry } from './work.ts'

/** Completions until which the policy's initial rate stands in for a measured one. */
const ENOUGH_SAMPLES = 20

/** Where work waits for a slot: who may join, who starts, who must leave. */
export class Line {
  readonly #clock: Clock
  readonly #desk: Desk
  readonly #books: Books
  readonly #alarm: Alarm
  readonly #pressure: Pressure
  readonly #queue = new WaitQueue()
  #policy: GatePolicy
  #mode: Mode
  #refusals: RefusalTable

  constructor(
    clock: Clock,
    desk: Desk,
    books: Books,
    alarm: Alarm,
    policy: GatePolicy,
    mode: Mode,
    refusals: RefusalTable,
    pressure: Pressure,
  ) {
    this.#clock = clock
    this.#desk = desk
    this.#books = books
    this.#alarm = alarm
    this.#policy = policy
    this.#mode = mode
    this.#refusals = refusals
    this.#pressure = pressure
  }

  get size(): number {
    return this.#queue.size
  }

  /** When the next waiter expires, or kept slots that others wait for may be lent. */
  get dueMs(): number {
    if (this.#queue.size === 0) return Number.POSITIVE_INFINITY
    const { slots, limit } = this.#desk
    return slots.inUse < limit.slots ? Math.min(this.#queue.dueMs, slots.classes.lendsAtMs) : this.#queue.dueMs
  }

  oldestAgeMs(nowMs: number): number {
    return this.#queue.size === 0 ? 0 : Math.max(0, nowMs - this.#queue.oldestMs)
  }

  /** New rules, also for those that wait. */
  obey(policy: GatePolicy, mode: Mode, refusals: RefusalTable): void {
    if (policy.queue.maxWaitMs !== this.#policy.queue.maxWaitMs) this.#queue.reschedule(policy.queue.maxWaitMs)
    this.#policy = policy
    this.#mode = mode
    this.#refusals = refusals
  }

  /**
   * Whether work may wait for a slot: `WAIT`, or the reason why not. Predicted wait = waiting ahead of it / drain rate + event-loop delay; newest
   * first nothing is predicted. `shadow` waiters stand in for the queue where nothing really waits.
   */
  verdict(tenant: Tenant, klass: number, remainingMs: number, nowMs: number, shadow: number | null): number {
    const { maxWaitMs, maxItems } = this.#policy.queue
    const { slots, typical } = this.#desk
    if (isShed(klass, this.#pressure.level) && this.#queue.waiting(klass) >= slots.classes.reserve(klass))
      return CLASS_SHED
    if (maxWaitMs <= 0 || maxItems <= 0) return LIMIT_REACHED
    const newestFirst = this.#newestFirst(nowMs)
    if ((shadow ?? this.#queue.size) >= maxItems) {
      if (shadow !== null || !this.#queue.displaced(tenant, klass, slots.classes, newestFirst)) return QUEUE_FULL
    }
    const budgetMs = Math.min(maxWaitMs, remainingMs - (typical.medianMs() || 0))
    if (budgetMs <= 0) return WOULD_BE_LATE
    if (newestFirst) return WAIT
    const waitMs = shadow === null ? this.#predictedMs(tenant, klass, nowMs) : this.#fallbackMs(shadow)
    return waitMs + this.#pressure.delayMs > budgetMs ? WOULD_BE_LATE : WAIT
  }

  /** Charges the tenant, and waits. */
  join(
    tenant: Tenant,
    klass: number,
    cost: number,
    nowMs: number,
    deadlineMs: number,
    route: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Entry> {
    const { promise, resolve } = Promise.withResolvers<Entry>()
    const waiter = new Waiter(tenant, klass, cost, nowMs, deadlineMs, route, resolve)
    waiter.mayWait(this.#policy.queue.maxWaitMs)
    if (signal) {
      waiter.signal = signal
      waiter.onAbort = () => this.#leave(waiter)
      signal.addEventListener('abort', waiter.onAbort, { once: true })
    }
    if (this.#queue.size >= this.#policy.queue.maxItems) this.#makeRoom(tenant, klass, nowMs)
    this.#books.count(tenant, klass, OFFERED)
    tenant.take(cost, nowMs)
    this.#queue.push(waiter, nowMs)
    this.#alarm.noLaterThan(Math.min(waiter.expiresMs, this.dueMs))
    return promise
  }

  /** Hands free slots to those whose turn it is, and turns away those that it is too late for. Without a limit to obey, all start. */
  pump(nowMs: number): void {
    const { slots, limit, typical } = this.#desk
    slots.classes.lend(nowMs)
    if (this.#queue.size === 0) return
    slots.classes.follow(limit.slots)
    const enforced = this.#mode === 'enforce'
    if (enforced) this.#shed(nowMs)
    const newestFirst = enforced && this.#newestFirst(nowMs)
    while (this.#queue.size > 0) {
      const klass = enforced ? this.#turn(nowMs) : undefined
      const waiter = this.#queue.next(newestFirst, nowMs, klass)
      if (!waiter) return
      if (nowMs >= waiter.expiresMs) this.#expire(waiter, nowMs)
      else if (enforced && waiter.deadlineMs - nowMs < typical.medianMs()) this.#refuse(waiter, WOULD_BE_LATE, nowMs)
      else this.#start(waiter, nowMs)
    }
  }

  /** Turns away those whose time is over. */
  expire(nowMs: number): void {
    for (let waiter = this.#queue.expired(nowMs); waiter; waiter = this.#queue.expired(nowMs))
      this.#expire(waiter, nowMs)
  }

  /** Turns all away. */
  clear(reason: number, nowMs: number): void {
    for (let waiter = this.#queue.next(false, nowMs); waiter; waiter = this.#queue.next(false, nowMs))
      this.#refuse(waiter, reason, nowMs)
  }

  /** The class that may have a free slot and has work waiting; -1 for none. */
  #turn(nowMs: number): number {
    const { slots, limit } = this.#desk
    if (slots.inUse >= limit.slots) return -1
    const borrow = slots.inUse + slots.classes.idle < limit.slots
    return this.#queue.turn(nowMs, slots.classes, borrow, this.#pressure.level)
  }

  /** Newest first within a tenant while overloaded: at a level, or when the queue was not empty for as long as one may wait. */
  #newestFirst(nowMs: number): boolean {
    const { order, maxWaitMs } = this.#policy.queue
    return order === 'adaptive' && (this.#pressure.level > 0 || this.#queue.standsMs(nowMs) > maxWaitMs)
  }

  /** Of a class that is being shed, as many may wait as its reserve has slots. */
  #shed(nowMs: number): void {
    for (let klass = CRITICALITIES.length - 1; klass >= 0 && isShed(klass, this.#pressure.level); klass--) {
      while (this.#queue.waiting(klass) > this.#desk.slots.classes.reserve(klass)) {
        const waiter = this.#queue.last(klass, false)
        if (!waiter) break
        this.#refuse(waiter, CLASS_SHED, nowMs)
      }
    }
  }

  #makeRoom(tenant: Tenant, klass: number, nowMs: number): void {
    const waiter = this.#queue.displaced(tenant, klass, this.#desk.slots.classes, this.#newestFirst(nowMs))
    if (waiter) this.#refuse(waiter, QUEUE_FULL, nowMs)
  }

  /** By the class's measured drain rate; before there is one, the whole gate's for all that are ahead. */
  #predictedMs(tenant: Tenant, klass: number, nowMs: number): number {
    const perMs = this.#queue.rates.perMs(klass, nowMs)
    const ahead = this.#queue.ahead(tenant, klass)
    return Number.isNaN(perMs) ? this.#fallbackMs(this.#queue.above(klass) + ahead) : waitMs(ahead, perMs)
  }

  /** The policy's initial rate until 20 completions, then limit / median processing time; 0 while nothing is known. */
  #fallbackMs(ahead: number): number {
    const { typical, limit } = this.#desk
    const initial = this.#policy.queue.initialRatePerSecond
    if (initial !== null && typical.count < ENOUGH_SAMPLES) return waitMs(ahead, initial / 1_000)
    const medianMs = typical.medianMs()
    return Number.isNaN(medianMs) ? 0 : (ahead * medianMs) / limit.slots
  }

  #start(waiter: Waiter, nowMs: number): void {
    this.#queue.start(waiter, nowMs, this.#desk.slots.classes.underReserve(waiter.klass))
    const { tenant, klass, arrivedMs, deadlineMs, route } = waiter
    this.#books.count(tenant, klass, ACCEPTED)
    this.#settle(waiter, this.#desk.start(tenant, klass, arrivedMs, nowMs, deadlineMs, true, route))
  }

  #expire(waiter: Waiter, nowMs: number): void {
    this.#refuse(waiter, nowMs >= waiter.deadlineMs ? EXPIRED_IN_QUEUE : QUEUE_TIMEOUT, nowMs)
  }

  #refuse(waiter: Waiter, reason: number, nowMs: number): void {
    this.#queue.remove(waiter, nowMs)
    waiter.tenant.giveBack(waiter.cost)
    this.#books.count(waiter.tenant, waiter.klass, refusedCell(reason))
    this.#settle(waiter, this.#refusals.next(reason))
  }

  #leave(waiter: Waiter): void {
    if (waiter.place < 0) return
    this.#queue.remove(waiter, this.#clock.now())
    waiter.tenant.giveBack(waiter.cost)
    this.#books.count(waiter.tenant, waiter.klass, CANCELLED_WAITING)
    this.#settle(waiter, this.#refusals.cancelled)
  }

  #settle(waiter: Waiter, entry: Entry): void {
    if (waiter.signal && waiter.onAbort) waiter.signal.removeEventListener('abort', waiter.onAbort)
    waiter.settle(entry)
  }
}

const waitMs = (ahead: number, perMs: number): number => (ahead === 0 ? 0 : ahead / perMs)
