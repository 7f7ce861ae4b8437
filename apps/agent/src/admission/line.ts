import type { GatePolicy, Mode } from '@weir/policy/model'
import type { Clock } from '../core/clock.ts'
import type { Alarm } from './alarm.ts'
import { type Books, CANCELLED_WAITING, OFFERED, refusedCell } from './books.ts'
import type { Desk } from './desk.ts'
import type { Pressure } from './options.ts'
import { Waiter, WaitQueue } from './queue.ts'
import { EXPIRED_IN_QUEUE, LIMIT_REACHED, QUEUE_FULL, QUEUE_TIMEOUT, WAIT, WOULD_BE_LATE } from './reasons.ts'
import type { RefusalTable } from './refusals.ts'
import type { Tenant } from './tenant.ts'
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

  get dueMs(): number {
    return this.#queue.dueMs
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
   * Whether work may wait for a slot: `WAIT`, or the reason why not. Predicted wait = waiting ahead of it / drain rate + event-loop delay.
   * `shadow` waiters stand in for the queue where nothing really waits.
   */
  verdict(klass: number, remainingMs: number, nowMs: number, shadow: number | null): number {
    const { maxWaitMs, maxItems } = this.#policy.queue
    if (maxWaitMs <= 0 || maxItems <= 0) return LIMIT_REACHED
    if ((shadow ?? this.#queue.size) >= maxItems) return QUEUE_FULL
    const typicalMs = this.#desk.typical.medianMs() || 0
    const budgetMs = Math.min(maxWaitMs, remainingMs - typicalMs)
    const waitMs = shadow === null ? this.#predictedMs(klass, nowMs) : this.#fallbackMs(shadow)
    return budgetMs <= 0 || waitMs + this.#pressure.delayMs > budgetMs ? WOULD_BE_LATE : WAIT
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
    this.#books.count(tenant, klass, OFFERED)
    tenant.take(cost, nowMs)
    this.#queue.push(waiter, nowMs)
    this.#alarm.noLaterThan(waiter.expiresMs)
    return promise
  }

  /** Hands free slots to those whose turn it is, and turns away those that it is too late for. Without a limit to obey, all start. */
  pump(nowMs: number): void {
    const { slots, typical } = this.#desk
    while (this.#queue.size > 0) {
      const enforced = this.#mode === 'enforce'
      if (enforced && slots.inUse >= this.#desk.limit.slots) return
      const waiter = this.#queue.next(nowMs)
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
    for (let waiter = this.#queue.next(nowMs); waiter; waiter = this.#queue.next(nowMs))
      this.#refuse(waiter, reason, nowMs)
  }

  /** The class's measured drain rate; before there is one, the whole gate's rate for all that are ahead. */
  #predictedMs(klass: number, nowMs: number): number {
    const perMs = this.#queue.rates.perMs(klass, nowMs)
    return Number.isNaN(perMs) ? this.#fallbackMs(this.#queue.ahead(klass)) : waitMs(this.#queue.waiting(klass), perMs)
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
    this.#queue.start(waiter, nowMs)
    const { tenant, klass, arrivedMs, deadlineMs, route } = waiter
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
