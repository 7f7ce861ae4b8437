import type { GatePolicy } from '@weir/policy/model'
import type { Clock } from '../core/clock.ts'
import { DurationHistogram } from '../core/histogram.ts'
import type { Alarm } from './alarm.ts'
import { ABANDONED, type Books, CANCELLED, COMPLETED, FAILED, IGNORED, LATE } from './books.ts'
import type { LiveLimit } from './limit-live.ts'
import type { Mishaps } from './mishaps.ts'
import { DROPPED, FAILURE, IGNORED_ENDING, type PermitDesk, SlotPermit, SUCCESS } from './permit.ts'
import { Slots } from './slots.ts'
import type { Tenant } from './tenant.ts'
import { TypicalTime } from './throughput.ts'

/** Where work starts and ends: slots, permits, and the outcome of each in the books and in the limit's lessons. */
export class Desk implements PermitDesk {
  readonly slots: Slots
  readonly typical = new TypicalTime()
  readonly wait = new DurationHistogram()
  readonly duration = new DurationHistogram()
  readonly mishaps: Mishaps
  readonly limit: LiveLimit
  #policy: GatePolicy
  readonly #gate: string
  readonly #clock: Clock
  readonly #books: Books
  readonly #alarm: Alarm
  readonly #freed: (nowMs: number) => void

  /** `freed` is called after a slot was given back. */
  constructor(
    gate: string,
    clock: Clock,
    mishaps: Mishaps,
    books: Books,
    alarm: Alarm,
    limit: LiveLimit,
    policy: GatePolicy,
    freed: (nowMs: number) => void,
  ) {
    this.#gate = gate
    this.#clock = clock
    this.mishaps = mishaps
    this.#books = books
    this.#alarm = alarm
    this.limit = limit
    this.#policy = policy
    this.slots = new Slots(policy.classes)
    this.#freed = freed
  }

  obey(policy: GatePolicy, nowMs: number): void {
    this.#policy = policy
    this.slots.classes.obey(policy.classes)
    this.limit.obey(policy.concurrency, nowMs)
  }

  /** Its acceptance has been booked, and the tenant charged where it is `counted`. */
  start(
    tenant: Tenant,
    klass: number,
    arrivedMs: number,
    nowMs: number,
    deadlineMs: number,
    counted: boolean,
    route: string | undefined,
  ): SlotPermit {
    if (!counted) tenant.references++
    const slot = this.slots.take(tenant, klass, arrivedMs, nowMs, deadlineMs, counted, route)
    const permit = new SlotPermit(this, slot)
    this.slots.bind(slot, permit)
    this.wait.record(nowMs - arrivedMs)
    if (nowMs > arrivedMs) this.limit.waited()
    this.#alarm.noLaterThan(nowMs + this.#policy.maxHoldMs)
    return permit
  }

  end(slot: number, ending: number): void {
    try {
      const nowMs = this.#clock.now()
      try {
        if (!this.slots.isZombie(slot)) this.#book(slot, ending, nowMs)
      } finally {
        // Nobody ends it again: whatever the lesson does, the slot must not stay taken.
        this.#release(slot)
      }
      this.#freed(nowMs)
    } catch (error) {
      this.mishaps.fault(error)
    }
  }

  cancel(slot: number): void {
    try {
      const nowMs = this.#clock.now()
      this.#count(slot, CANCELLED)
      this.slots.cancel(slot, nowMs)
      this.#alarm.noLaterThan(nowMs + this.#policy.zombieMaxMs)
    } catch (error) {
      this.mishaps.fault(error)
    }
  }

  again(): void {
    this.mishaps.endedTwice++
  }

  remainingMs(slot: number): number {
    return Math.max(0, this.slots.deadlineMs(slot) - this.#clock.now())
  }

  /** When the next slot is overdue; `Infinity` when none is in use. */
  get dueMs(): number {
    const { maxHoldMs, zombieMaxMs } = this.#policy
    const running = this.slots.oldestRunning
    const zombie = this.slots.oldestZombie
    return Math.min(
      running < 0 ? Number.POSITIVE_INFINITY : this.slots.sinceMs(running) + maxHoldMs,
      zombie < 0 ? Number.POSITIVE_INFINITY : this.slots.sinceMs(zombie) + zombieMaxMs,
    )
  }

  /** Takes overdue slots back: of permits that the host forgot, and of zombies that do not end. */
  sweep(nowMs: number): void {
    const { maxHoldMs, zombieMaxMs } = this.#policy
    const overdue = (slot: number, ms: number) => slot >= 0 && nowMs >= this.slots.sinceMs(slot) + ms
    for (let slot = this.slots.oldestRunning; overdue(slot, maxHoldMs); slot = this.slots.oldestRunning) {
      this.#count(slot, ABANDONED)
      this.#takeBack(slot, `was not ended within ${maxHoldMs} ms and counts as abandoned`)
    }
    for (let slot = this.slots.oldestZombie; overdue(slot, zombieMaxMs); slot = this.slots.oldestZombie) {
      this.mishaps.lost++
      this.#takeBack(slot, `still ran ${zombieMaxMs} ms after its caller had left and counts as lost`)
    }
  }

  #book(slot: number, ending: number, nowMs: number): void {
    const bad = ending === FAILURE || ending === DROPPED
    const outcome = bad ? FAILED : nowMs >= this.slots.deadlineMs(slot) ? LATE : COMPLETED
    this.#count(slot, outcome)
    if (ending === IGNORED_ENDING && outcome === COMPLETED) this.#count(slot, IGNORED)
    this.duration.record(nowMs - this.slots.arrivedMs(slot))
    const ranMs = nowMs - this.slots.startedMs(slot)
    if (ending === SUCCESS) {
      this.typical.record(ranMs)
      if (outcome === LATE) this.limit.overrun(ranMs, this.slots.inUse, nowMs)
      else this.limit.sample(ranMs, this.slots.inUse, nowMs)
    }
    if (ending === DROPPED) this.limit.drop(this.slots.inUse, nowMs)
  }

  #takeBack(slot: number, what: string): void {
    const route = this.slots.route(slot) ?? 'unknown'
    this.slots.permit(slot)?.revoke()
    this.#release(slot)
    this.mishaps.warn(new Error(`Work of gate ${this.#gate}, route ${route}, ${what}.`))
  }

  #release(slot: number): void {
    const tenant = this.slots.tenant(slot)
    if (tenant) {
      tenant.references--
      if (this.slots.isCounted(slot)) tenant.allowance.held--
    }
    this.slots.release(slot)
  }

  #count(slot: number, cell: number): void {
    const tenant = this.slots.tenant(slot)
    if (tenant) this.#books.count(tenant, this.slots.klass(slot), cell)
  }
}
