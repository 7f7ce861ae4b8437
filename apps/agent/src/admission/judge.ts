import type { Mode } from '@weir/policy/model'
import type { Clock } from '../core/clock.ts'
import { isShed } from './class-slots.ts'
import type { Desk } from './desk.ts'
import type { Line } from './line.ts'
import type { Pressure } from './options.ts'
import { ACCEPT, CLASS_SHED, DRAINING, EXPIRED_ON_ARRIVAL, LIMIT_REACHED, UNKNOWN_TENANT } from './reasons.ts'
import type { Tenant } from './tenant.ts'

/** What becomes of work that arrives: the order of the reasons, first to last. */
export class Judge {
  draining = false
  #mode: Mode
  readonly #clock: Clock
  readonly #desk: Desk
  readonly #line: Line
  readonly #pressure: Pressure

  constructor(mode: Mode, clock: Clock, desk: Desk, line: Line, pressure: Pressure) {
    this.#mode = mode
    this.#clock = clock
    this.#desk = desk
    this.#line = line
    this.#pressure = pressure
  }

  obey(mode: Mode): void {
    this.#mode = mode
  }

  /** `ACCEPT`, `WAIT`, or the reason why not. `tenant` is `null` where the policy refuses those that it does not list. */
  verdict(tenant: Tenant | null, klass: number, remainingMs: number, cost: number, mayWait: boolean): number {
    if (this.draining) return DRAINING
    if (remainingMs <= 0) return EXPIRED_ON_ARRIVAL
    if (tenant === null) return UNKNOWN_TENANT
    const share = tenant.verdict(cost, this.#clock)
    if (share !== ACCEPT) return share
    const { slots, limit } = this.#desk
    const { classes } = slots
    const { level } = this.#pressure
    const observing = this.#mode !== 'enforce'
    const inUse = observing ? slots.counted : slots.inUse
    const most = limit.slots
    if (classes.admits(klass, inUse, most, level)) return ACCEPT
    if (inUse < most && this.#lends(klass)) return ACCEPT
    classes.miss(klass)
    if (!mayWait) return isShed(klass, level) && !classes.underReserve(klass) ? CLASS_SHED : LIMIT_REACHED
    const shadow = observing ? Math.max(0, inUse - most) : null
    return this.#line.verdict(tenant, klass, remainingMs, this.#clock.now(), shadow)
  }

  /** Whether a free slot that was kept for another class is lent from now on; those that wait for one come first. */
  #lends(klass: number): boolean {
    const { slots, limit } = this.#desk
    const nowMs = this.#clock.now()
    if (!slots.classes.lend(nowMs)) return false
    this.#line.pump(nowMs)
    const inUse = this.#mode === 'enforce' ? slots.inUse : slots.counted
    return slots.classes.admits(klass, inUse, limit.slots, this.#pressure.level)
  }
}
