import { DurationHistogram } from '../core/histogram.ts'
import { ABANDONED, CANCELLED, COMPLETED, DEGRADED, FAILED, IGNORED, LATE } from './books.ts'
import type { LiveLimit } from './limit-live.ts'
import type { Mishaps } from './mishaps.ts'
import type { Parts } from './parts.ts'
import { DROPPED, IGNORED_ENDING, type PermitDesk, SlotPermit, SUCCESS } from './permit.ts'
import type { Rules } from './rules.ts'
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
  readonly #parts: Parts
  readonly #freed: () => void
  #rules: Rules
  #maxHoldMs: number
  /** Until the first look under these rules it could be any time. */
  #dueMs = 0
  #mayDegrade = false
  #degradeLevel = Number.POSITIVE_INFINITY
  #degradeUsage = Number.POSITIVE_INFINITY

  /** `freed` is called after a slot was given back. */
  constructor(parts: Parts, rules: Rules, limit: LiveLimit, freed: () => void) {
    this.#parts = parts
    this.#rules = rules
    this.#maxHoldMs = rules.policy.maxHoldMs
    this.mishaps = parts.mishaps
    this.limit = limit
    this.slots = new Slots(rules.policy.classes)
    this.#freed = freed
    this.#setDegrade()
  }

  obey(rules: Rules, nowMs: number): void {
    this.#rules = rules
    this.#maxHoldMs = rules.policy.maxHoldMs
    this.slots.classes.obey(rules.policy.classes)
    this.limit.obey(rules.policy.concurrency, nowMs)
    this.#setDegrade()
    this.#dueMs = 0
  }

  /** Starts at the clock's last reading, which is its arrival. Its acceptance has been booked, and the tenant charged where it is `counted`. */
  start(tenant: Tenant, klass: number, remainingMs: number, counted: boolean, route: string | undefined): SlotPermit {
    if (!counted) tenant.references++
    const slot = this.#take(tenant, klass, counted, route)
    const nowMs = this.#parts.clock.lastMs
    this.slots.startNow(slot, nowMs, remainingMs)
    this.wait.recordNone()
    this.#parts.alarm.noLaterThan(nowMs + this.#maxHoldMs)
    return new SlotPermit(this, slot, this.slots.turn(slot))
  }

  /** As `start`, of work that waited. */
  startLate(
    tenant: Tenant,
    klass: number,
    arrivedMs: number,
    nowMs: number,
    deadlineMs: number,
    route: string | undefined,
  ): SlotPermit {
    const slot = this.#take(tenant, klass, true, route)
    this.slots.startLate(slot, arrivedMs, nowMs, deadlineMs)
    this.wait.record(nowMs - arrivedMs)
    if (nowMs > arrivedMs) this.limit.waited()
    this.#parts.alarm.noLaterThan(nowMs + this.#maxHoldMs)
    return new SlotPermit(this, slot, this.slots.turn(slot))
  }

  holds(slot: number, turn: number): boolean {
    return this.slots.turn(slot) === turn
  }

  watch(slot: number, controller: AbortController): void {
    this.slots.watch(slot, controller)
  }

  end(slot: number, turn: number, ending: number): void {
    if (slot < 0 || this.slots.turn(slot) !== turn) {
      this.mishaps.endedTwice++
      return
    }
    try {
      this.#parts.clock.read()
      try {
        const running = !this.slots.isZombie(slot)
        if (running && ending === SUCCESS) this.#succeed(slot)
        else if (running) this.#endOtherwise(slot, ending)
      } finally {
        // Nobody ends it again: whatever the lesson does, the slot must not stay taken.
        this.#release(slot)
      }
      this.#freed()
    } catch (error) {
      this.mishaps.fault(error)
    }
  }

  cancel(slot: number): void {
    try {
      const nowMs = this.#parts.clock.now()
      this.#count(slot, CANCELLED)
      this.slots.cancel(slot, nowMs)
      this.#parts.alarm.noLaterThan(nowMs + this.#rules.policy.zombieMaxMs)
    } catch (error) {
      this.mishaps.fault(error)
    }
  }

  isDegraded(slot: number): boolean {
    return this.slots.isDegraded(slot)
  }

  klass(slot: number): number {
    return this.slots.klass(slot)
  }

  remainingMs(slot: number): number {
    return Math.max(0, this.slots.deadlineMs(slot) - this.#parts.clock.now())
  }

  deadlineAt(slot: number): number {
    return this.slots.deadlineMs(slot)
  }

  /** No slot is overdue before; `Infinity` when none is in use. */
  get dueMs(): number {
    return this.slots.inUse === 0 ? Number.POSITIVE_INFINITY : this.#dueMs
  }

  /**
   * Takes overdue slots back: of permits that the host forgot, and of zombies that do not end. Looks at all slots, but only once the first that it saw,
   * or one that it did not see yet, can be overdue.
   */
  sweep(nowMs: number): void {
    if (nowMs < this.#dueMs) return
    const { maxHoldMs, zombieMaxMs } = this.#rules.policy
    this.#dueMs = nowMs + Math.min(maxHoldMs, zombieMaxMs)
    for (let slot = 0; slot < this.slots.size; slot++) {
      if (this.slots.tenant(slot) === null) continue
      const zombie = this.slots.isZombie(slot)
      const dueMs = this.slots.sinceMs(slot) + (zombie ? zombieMaxMs : maxHoldMs)
      if (nowMs < dueMs) this.#dueMs = Math.min(this.#dueMs, dueMs)
      else if (zombie) this.#lose(slot)
      else this.#abandon(slot)
    }
  }

  /** Whether work that starts now is told to do the cheaper variant: from a level, or from a share of the slots in use, itself included. */
  #degrades(): boolean {
    return (
      this.#parts.pressure.level >= this.#degradeLevel || this.slots.inUse + 1 >= this.#degradeUsage * this.limit.slots
    )
  }

  /** Only where the policy is enforced. */
  #setDegrade(): void {
    const { enforced, policy } = this.#rules
    this.#degradeLevel = (enforced ? policy.degrade.level : null) ?? Number.POSITIVE_INFINITY
    this.#degradeUsage = (enforced ? policy.degrade.usage : null) ?? Number.POSITIVE_INFINITY
    this.#mayDegrade = Math.min(this.#degradeLevel, this.#degradeUsage) < Number.POSITIVE_INFINITY
  }

  /** Ended well, at the clock's last reading: a sample for the limit. A method of its own, so that its numbers stay numbers. */
  #succeed(slot: number): void {
    const { slots } = this
    const nowMs = this.#parts.clock.lastMs
    const ranMs = nowMs - slots.sinceMs(slot)
    this.duration.record(nowMs - slots.arrivedMs(slot))
    this.typical.record(ranMs)
    if (nowMs < slots.deadlineMs(slot)) {
      this.#countCompleted(slot)
      this.limit.sample(ranMs, slots.inUse, nowMs)
    } else {
      this.#count(slot, LATE)
      this.limit.overrun(ranMs, slots.inUse, nowMs)
    }
  }

  #endOtherwise(slot: number, ending: number): void {
    const nowMs = this.#parts.clock.lastMs
    const bad = ending !== IGNORED_ENDING
    const outcome = bad ? FAILED : nowMs < this.slots.deadlineMs(slot) ? COMPLETED : LATE
    this.duration.record(nowMs - this.slots.arrivedMs(slot))
    this.#count(slot, outcome)
    if (outcome === COMPLETED) this.#count(slot, IGNORED)
    if (ending === DROPPED) this.limit.drop(this.slots.inUse, nowMs)
  }

  #abandon(slot: number): void {
    this.#count(slot, ABANDONED)
    this.#takeBack(slot, `was not ended within ${this.#maxHoldMs} ms and counts as abandoned`)
  }

  #lose(slot: number): void {
    this.mishaps.lost++
    const { zombieMaxMs } = this.#rules.policy
    this.#takeBack(slot, `still ran ${zombieMaxMs} ms after its caller had left and counts as lost`)
  }

  #take(tenant: Tenant, klass: number, counted: boolean, route: string | undefined): number {
    const degraded = this.#mayDegrade && this.#degrades()
    if (degraded) this.#parts.books.count(tenant, klass, DEGRADED)
    return this.slots.take(tenant, klass, counted, degraded, route)
  }

  #takeBack(slot: number, what: string): void {
    const route = this.slots.route(slot) ?? 'unknown'
    const controller = this.slots.controller(slot)
    this.#release(slot)
    controller?.abort()
    this.mishaps.warn(new Error(`Work of gate ${this.#parts.name}, route ${route}, ${what}.`))
  }

  #release(slot: number): void {
    const counted = this.slots.isCounted(slot)
    this.slots.release(slot)?.leave(counted)
  }

  #countCompleted(slot: number): void {
    const tenant = this.slots.tenant(slot)
    if (tenant) this.#parts.books.countCompleted(tenant, this.slots.klass(slot))
  }

  #count(slot: number, cell: number): void {
    const tenant = this.slots.tenant(slot)
    if (tenant) this.#parts.books.count(tenant, this.slots.klass(slot), cell)
  }
}
