import { isShed } from './class-slots.ts'
import type { Desk } from './desk.ts'
import { INPUT } from './inputs.ts'
import type { Line } from './line.ts'
import type { Parts } from './parts.ts'
import { ACCEPT, CLASS_SHED, DRAINING, EXPIRED_ON_ARRIVAL, LIMIT_REACHED, UNKNOWN_TENANT } from './reasons.ts'
import type { Rules } from './rules.ts'
import type { Tenant } from './tenant.ts'
import type { Trail } from './trail.ts'

/** What becomes of work that arrives: the order of the reasons, first to last. */
export class Judge {
  draining = false
  readonly #parts: Parts
  readonly #desk: Desk
  readonly #line: Line
  #rules: Rules

  constructor(parts: Parts, rules: Rules, desk: Desk, line: Line) {
    this.#parts = parts
    this.#rules = rules
    this.#desk = desk
    this.#line = line
  }

  obey(rules: Rules): void {
    this.#rules = rules
  }

  /** `ACCEPT`, `WAIT`, or the reason why not. `tenant` is `null` where the policy refuses those that it does not list. */
  verdict(tenant: Tenant | null, klass: number, remainingMs: number, cost: number, mayWait: boolean): number {
    if (this.draining) return DRAINING
    if (remainingMs <= 0) return EXPIRED_ON_ARRIVAL
    if (tenant === null) return UNKNOWN_TENANT
    const share = tenant.verdict(cost, this.#parts.clock)
    if (share !== ACCEPT) return share
    const { slots, limit } = this.#desk
    const { classes } = slots
    const { level } = this.#parts.pressure
    const inUse = this.#inUse
    const most = limit.slots
    if (classes.admits(klass, inUse, most, level)) return ACCEPT
    if (inUse < most && this.#lends(klass)) return ACCEPT
    classes.miss(klass)
    if (!mayWait) return isShed(klass, level) && !classes.underReserve(klass) ? CLASS_SHED : LIMIT_REACHED
    return this.#line.verdict(tenant, klass, remainingMs, this.#parts.clock.now(), this.#shadow)
  }

  /** Puts all that `verdict` read, as it was after it: what a verdict changes does not change it. */
  put(trail: Trail, tenant: Tenant | null, klass: number, remainingMs: number, cost: number, mayWait: boolean): void {
    const nowMs = this.#parts.clock.now()
    const { slots, limit } = this.#desk
    trail.put(INPUT.atMs, nowMs)
    trail.put(INPUT.revision, this.#rules.revision)
    trail.put(INPUT.enforced, Number(this.#rules.enforced))
    trail.put(INPUT.draining, Number(this.draining))
    trail.put(INPUT.mayWait, Number(mayWait))
    trail.put(INPUT.klass, klass)
    trail.put(INPUT.remainingMs, remainingMs)
    trail.put(INPUT.cost, cost)
    trail.put(INPUT.level, this.#parts.pressure.level)
    trail.put(INPUT.delayMs, this.#parts.pressure.delayMs)
    trail.put(INPUT.tenantKnown, Number(tenant !== null))
    trail.put(INPUT.limit, limit.slots)
    trail.put(INPUT.inUse, this.#inUse)
    trail.put(INPUT.keptIdle, slots.classes.idle)
    trail.put(INPUT.used, slots.classes.used(klass))
    trail.put(INPUT.reserve, slots.classes.reserve(klass))
    if (tenant === null) return
    const { concurrency, held, bucket } = tenant.allowance
    trail.put(INPUT.concurrency, concurrency ?? Number.NaN)
    trail.put(INPUT.held, held)
    trail.put(INPUT.tokens, bucket?.tokens ?? Number.NaN)
    trail.put(INPUT.capacity, bucket?.capacity ?? Number.NaN)
    this.#line.put(trail, tenant, klass, nowMs, this.#shadow)
  }

  /** Observing, what it would have refused does not count. */
  get #inUse(): number {
    const { slots } = this.#desk
    return this.#rules.enforced ? slots.inUse : slots.counted
  }

  /** Observing, nothing waits: work beyond the limit stands in for a queue. */
  get #shadow(): number | null {
    return this.#rules.enforced ? null : Math.max(0, this.#inUse - this.#desk.limit.slots)
  }

  /** Whether a free slot that was kept for another class is lent from now on; those that wait for one come first. */
  #lends(klass: number): boolean {
    const { slots, limit } = this.#desk
    const nowMs = this.#parts.clock.now()
    if (!slots.classes.lend(nowMs)) return false
    this.#line.pump(nowMs)
    return slots.classes.admits(klass, this.#inUse, limit.slots, this.#parts.pressure.level)
  }
}
