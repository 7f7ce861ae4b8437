import { isShed } from './class-slots.ts'
import type { Desk } from './desk.ts'
import { INPUT } from './inputs.ts'
import type { Line } from './line.ts'
import type { Parts } from './parts.ts'
import { ACCEPT, CLASS_SHED, DRAINING, EXPIRED_ON_ARRIVAL, LIMIT_REACHED, UNKNOWN_TENANT } from './reasons.ts'
import type { Rules } from './rules.ts'
import type { Tenant } from './tenant.ts'

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
  put(
    row: Float64Array,
    tenant: Tenant | null,
    klass: number,
    remainingMs: number,
    cost: number,
    mayWait: boolean,
  ): void {
    const { clock } = this.#parts
    clock.read()
    const { slots, limit } = this.#desk
    row[INPUT.atMs] = clock.lastMs
    row[INPUT.revision] = this.#rules.revision
    row[INPUT.enforced] = Number(this.#rules.enforced)
    row[INPUT.draining] = Number(this.draining)
    row[INPUT.mayWait] = Number(mayWait)
    row[INPUT.klass] = klass
    row[INPUT.remainingMs] = remainingMs
    row[INPUT.cost] = cost
    row[INPUT.level] = this.#parts.pressure.level
    row[INPUT.delayMs] = this.#parts.pressure.delayMs
    row[INPUT.tenantKnown] = Number(tenant !== null)
    row[INPUT.limit] = limit.slots
    row[INPUT.inUse] = this.#inUse
    row[INPUT.keptIdle] = slots.classes.idle
    row[INPUT.used] = slots.classes.used(klass)
    row[INPUT.reserve] = slots.classes.reserve(klass)
    if (tenant === null) return
    const { concurrency, held, bucket } = tenant.allowance
    row[INPUT.concurrency] = concurrency ?? Number.NaN
    row[INPUT.held] = held
    bucket?.put(row)
    this.#line.put(row, tenant, klass, this.#shadow)
  }

  /** Observing, what it would have refused does not count. */
  get #inUse(): number {
    const { slots } = this.#desk
    return this.#rules.enforced ? slots.inUse : slots.classes.total
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
