import { CRITICALITIES } from '@weir/policy/model'
import { ACCEPTED, CANCELLED_WAITING, OFFERED, refusedCell } from './books.ts'
import { isShed } from './class-slots.ts'
import type { Deferral } from './deferral.ts'
import type { Desk } from './desk.ts'
import { INPUT } from './inputs.ts'
import type { Parts } from './parts.ts'
import { predictedMs } from './prediction.ts'
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
import type { Rules } from './rules.ts'
import type { Tenant } from './tenant.ts'
import { Waiter } from './waiter.ts'
import type { Entry } from './work.ts'

/** Where work waits for a slot: who may join, who starts, who must leave. */
export class Line {
  readonly #parts: Parts
  readonly #desk: Desk
  readonly #deferral: Deferral
  readonly #queue = new WaitQueue()
  #rules: Rules

  constructor(parts: Parts, rules: Rules, desk: Desk, deferral: Deferral) {
    this.#parts = parts
    this.#rules = rules
    this.#desk = desk
    this.#deferral = deferral
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
  obey(rules: Rules): void {
    const { maxWaitMs } = rules.policy.queue
    if (maxWaitMs !== this.#rules.policy.queue.maxWaitMs) this.#queue.reschedule(maxWaitMs)
    this.#rules = rules
  }

  /**
   * Whether work may wait for a slot: `WAIT`, or the reason why not. Predicted wait = waiting ahead of it / drain rate + event-loop delay; newest
   * first nothing is predicted. `shadow` waiters stand in for the queue where nothing really waits.
   */
  verdict(tenant: Tenant, klass: number, remainingMs: number, nowMs: number, shadow: number | null): number {
    const { maxWaitMs, maxItems } = this.#rules.policy.queue
    const { slots, typical } = this.#desk
    if (isShed(klass, this.#parts.pressure.level) && this.#queue.waiting(klass) >= slots.classes.reserve(klass))
      return CLASS_SHED
    if (maxWaitMs <= 0 || maxItems <= 0) return LIMIT_REACHED
    const newestFirst = this.#newestFirst()
    if ((shadow ?? this.#queue.size) >= maxItems) {
      if (shadow !== null || !this.#queue.displaced(tenant, klass, slots.classes, newestFirst)) return QUEUE_FULL
    }
    const budgetMs = Math.min(maxWaitMs, remainingMs - (typical.medianMs() || 0))
    if (budgetMs <= 0) return WOULD_BE_LATE
    if (newestFirst) return WAIT
    return this.#predictedMs(tenant, klass, nowMs, shadow) + this.#parts.pressure.delayMs > budgetMs
      ? WOULD_BE_LATE
      : WAIT
  }

  /** Puts what `verdict` reads, at the clock's last reading. */
  put(row: Float64Array, tenant: Tenant, klass: number, shadow: number | null): void {
    const { maxWaitMs, maxItems } = this.#rules.policy.queue
    const { slots, typical } = this.#desk
    row[INPUT.maxItems] = maxItems
    row[INPUT.maxWaitMs] = maxWaitMs
    row[INPUT.initialPerMs] = this.#initialPerMs()
    row[INPUT.completions] = typical.count
    row[INPUT.typicalMs] = typical.medianMs()
    row[INPUT.newestFirst] = 0
    row[INPUT.room] = 0
    row[INPUT.waiting] = this.#queue.waiting(klass)
    row[INPUT.queued] = shadow ?? this.#queue.size
    row[INPUT.ahead] = shadow ?? this.#queue.ahead(tenant, klass)
    row[INPUT.above] = shadow === null ? this.#queue.above(klass) : 0
    if (maxWaitMs <= 0) return
    const newestFirst = this.#newestFirst()
    row[INPUT.newestFirst] = Number(newestFirst)
    if (shadow !== null) return
    row[INPUT.room] = Number(this.#queue.displaced(tenant, klass, slots.classes, newestFirst) !== undefined)
    row[INPUT.drainPerMs] = this.#queue.rates.perMs(klass, this.#parts.clock.lastMs)
  }

  /** Charges the tenant, and waits, from the clock's last reading on. */
  join(
    tenant: Tenant,
    klass: number,
    cost: number,
    remainingMs: number,
    route: string | undefined,
    signal: AbortSignal | undefined,
    deferrable: boolean,
  ): Promise<Entry> {
    const { promise, resolve } = Promise.withResolvers<Entry>()
    const nowMs = this.#parts.clock.lastMs
    const waiter = new Waiter(tenant, klass, cost, nowMs, nowMs + remainingMs, route, resolve)
    waiter.mayWait(this.#rules.policy.queue.maxWaitMs)
    waiter.deferrable = deferrable
    if (signal) {
      waiter.signal = signal
      waiter.onAbort = () => this.#leave(waiter)
      signal.addEventListener('abort', waiter.onAbort, { once: true })
    }
    if (this.#queue.size >= this.#rules.policy.queue.maxItems) this.#makeRoom(tenant, klass, nowMs)
    this.#parts.books.count(tenant, klass, OFFERED)
    tenant.take(cost, this.#parts.clock)
    this.#queue.push(waiter, nowMs)
    this.#parts.alarm.noLaterThan(Math.min(waiter.expiresMs, this.dueMs))
    return promise
  }

  /** Hands free slots to those whose turn it is, and turns away those that it is too late for. Without a limit to obey, all start. */
  pump(nowMs: number): void {
    const { slots, limit, typical } = this.#desk
    slots.classes.lend(nowMs)
    if (this.#queue.size === 0) return
    slots.classes.follow(limit.slots)
    const enforced = this.#rules.enforced
    if (enforced) this.#shed(nowMs)
    const newestFirst = enforced && this.#newestFirst()
    while (this.#queue.size > 0) {
      const klass = enforced ? this.#turn(nowMs) : undefined
      const waiter = this.#queue.next(newestFirst, nowMs, klass)
      if (!waiter) return
      if (nowMs >= (enforced ? waiter.expiresMs : waiter.deadlineMs)) this.#expire(waiter, nowMs)
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
    return this.#queue.turn(nowMs, slots.classes, borrow, this.#parts.pressure.level)
  }

  /** Newest first within a tenant while overloaded: at a level, or when the queue was not empty for as long as one may wait. */
  #newestFirst(): boolean {
    const { order, maxWaitMs } = this.#rules.policy.queue
    return (
      order === 'adaptive' &&
      (this.#parts.pressure.level > 0 || this.#queue.standsMs(this.#parts.clock.lastMs) > maxWaitMs)
    )
  }

  /** Of a class that is being shed, as many may wait as its reserve has slots. */
  #shed(nowMs: number): void {
    for (let klass = CRITICALITIES.length - 1; klass >= 0 && isShed(klass, this.#parts.pressure.level); klass--) {
      while (this.#queue.waiting(klass) > this.#desk.slots.classes.reserve(klass)) {
        const waiter = this.#queue.last(klass, false)
        if (!waiter) break
        this.#refuse(waiter, CLASS_SHED, nowMs)
      }
    }
  }

  #makeRoom(tenant: Tenant, klass: number, nowMs: number): void {
    const waiter = this.#queue.displaced(tenant, klass, this.#desk.slots.classes, this.#newestFirst())
    if (waiter) this.#refuse(waiter, QUEUE_FULL, nowMs)
  }

  /** What a newcomer's wait would be; `shadow` waiters stand in for the queue. */
  #predictedMs(tenant: Tenant, klass: number, nowMs: number, shadow: number | null): number {
    const { typical, limit } = this.#desk
    const ahead = shadow ?? this.#queue.ahead(tenant, klass)
    const above = shadow === null ? this.#queue.above(klass) : 0
    const drainPerMs = shadow === null ? this.#queue.rates.perMs(klass, nowMs) : Number.NaN
    return predictedMs(ahead, above, drainPerMs, this.#initialPerMs(), typical.count, typical.medianMs(), limit.slots)
  }

  #initialPerMs(): number {
    const { initialRatePerSecond } = this.#rules.policy.queue
    return initialRatePerSecond === null ? Number.NaN : initialRatePerSecond / 1_000
  }

  #start(waiter: Waiter, nowMs: number): void {
    this.#queue.start(waiter, nowMs, this.#desk.slots.classes.underReserve(waiter.klass))
    const { tenant, klass, arrivedMs, deadlineMs, route } = waiter
    this.#parts.books.count(tenant, klass, ACCEPTED)
    this.#settle(waiter, this.#desk.startLate(tenant, klass, arrivedMs, nowMs, deadlineMs, route))
  }

  #expire(waiter: Waiter, nowMs: number): void {
    this.#refuse(waiter, nowMs >= waiter.deadlineMs ? EXPIRED_IN_QUEUE : QUEUE_TIMEOUT, nowMs)
  }

  #refuse(waiter: Waiter, reason: number, nowMs: number): void {
    this.#queue.remove(waiter, nowMs)
    const { tenant, klass, cost } = waiter
    const { refusals } = this.#rules
    const deferring = waiter.deferrable ? this.#deferral.instead(tenant, klass, reason, refusals) : null
    tenant.giveBack(cost)
    if (deferring === null) this.#parts.books.count(tenant, klass, refusedCell(reason))
    this.#settle(waiter, deferring ?? refusals.next(reason))
  }

  #leave(waiter: Waiter): void {
    if (waiter.place < 0) return
    this.#queue.remove(waiter, this.#parts.clock.now())
    waiter.tenant.giveBack(waiter.cost)
    this.#parts.books.count(waiter.tenant, waiter.klass, CANCELLED_WAITING)
    this.#settle(waiter, this.#rules.refusals.cancelled)
  }

  #settle(waiter: Waiter, entry: Entry): void {
    if (waiter.signal && waiter.onAbort) waiter.signal.removeEventListener('abort', waiter.onAbort)
    waiter.settle(entry)
  }
}
