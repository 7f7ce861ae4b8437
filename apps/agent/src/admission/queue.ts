import { CRITICALITIES } from '@weir/policy/model'
import { ClassLine, load } from './class-line.ts'
import { type ClassSlots, isShed } from './class-slots.ts'
import { Heap } from './heap.ts'
import type { Tenant } from './tenant.ts'
import { DrainRates } from './throughput.ts'
import type { Waiter } from './waiter.ts'

/** At most one start in so many goes to aged work while a higher class waits. */
const AGED_EVERY = 8

/**
 * The queue of a gate. Between classes: those under their reserve first, then the highest. So that no class starves, of the lower
 * classes whose oldest has waited for half of what it may, the one that waited longest goes first once in eight starts. Within a class: by weight between tenants. Entering, leaving and starting cost
 * the same however many wait, but for the logarithms of its heaps.
 */
export class WaitQueue {
  readonly rates = new DrainRates()
  readonly #lines = CRITICALITIES.map(() => new ClassLine())
  readonly #expiry = new Heap<Waiter>((a, b) => a.expiresMs < b.expiresMs)
  #size = 0
  #sinceAged = AGED_EVERY
  /** Since when somebody has waited; NaN while nobody does. */
  #standingMs = Number.NaN

  get size(): number {
    return this.#size
  }

  /** How long it has not been empty. */
  standsMs(nowMs: number): number {
    return this.#size === 0 ? 0 : nowMs - this.#standingMs
  }

  waiting(klass: number): number {
    return this.#lines[klass]?.size ?? 0
  }

  /** Waiting in the classes above. */
  above(klass: number): number {
    let sum = 0
    for (let i = 0; i < klass; i++) sum += this.waiting(i)
    return sum
  }

  /** What a newcomer finds ahead of it in its class. */
  ahead(tenant: Tenant, klass: number): number {
    const line = this.#line(klass)
    return line.size === 0 ? 0 : line.ahead(tenant.flow(klass))
  }

  /** When the first waiter expires; `Infinity` when none waits. */
  get dueMs(): number {
    return this.#expiry.top?.expiresMs ?? Number.POSITIVE_INFINITY
  }

  /** The first waiter that has expired. */
  expired(nowMs: number): Waiter | undefined {
    const top = this.#expiry.top
    return top !== undefined && nowMs >= top.expiresMs ? top : undefined
  }

  /** Arrival of the one that has waited longest; NaN when none waits. */
  get oldestMs(): number {
    let oldest = Number.NaN
    for (const line of this.#lines)
      if (line.oldest && !(oldest <= line.oldest.arrivedMs)) oldest = line.oldest.arrivedMs
    return oldest
  }

  push(waiter: Waiter, nowMs: number): void {
    const line = this.#line(waiter.klass)
    if (line.size === 0) this.rates.busy(waiter.klass, nowMs)
    if (this.#size === 0) this.#standingMs = nowMs
    line.push(waiter, waiter.tenant.flow(waiter.klass))
    this.#size++
    this.#expiry.push(waiter)
  }

  remove(waiter: Waiter, nowMs: number): void {
    const line = this.#line(waiter.klass)
    line.remove(waiter, waiter.tenant.flow(waiter.klass))
    this.#left(waiter, line, nowMs)
  }

  /** The class whose turn it is, `-1` for none: first those under their reserve; others where `borrow`, and their class is not shed. */
  turn(nowMs: number, classes: ClassSlots, borrow: boolean, level: number): number {
    for (let klass = 0; klass < this.#lines.length; klass++)
      if (this.waiting(klass) > 0 && classes.underReserve(klass)) return klass
    return borrow ? this.#open(nowMs, level) : -1
  }

  /** Whose turn it is in the class; in any, by age and class, where none is given. */
  next(newestFirst: boolean, nowMs: number, klass = this.#open(nowMs, 0)): Waiter | undefined {
    return this.#lines[klass]?.next(newestFirst)
  }

  /** Of the class's tenant with the most waiting for its weight: the one that would go last. */
  last(klass: number, newestFirst: boolean): Waiter | undefined {
    const flow = this.#lines[klass]?.longest()
    return newestFirst ? flow?.head : flow?.tail
  }

  /** It has its turn: it leaves to start. `reserved`: by its class's reserve. */
  start(waiter: Waiter, nowMs: number, reserved: boolean): void {
    const overtakes = !reserved && this.above(waiter.klass) > 0
    this.#sinceAged = overtakes ? 0 : Math.min(this.#sinceAged + 1, AGED_EVERY)
    this.rates.departed(waiter.klass, nowMs)
    const line = this.#line(waiter.klass)
    line.start(waiter, waiter.tenant.flow(waiter.klass))
    this.#left(waiter, line, nowMs)
  }

  /**
   * Who leaves a full queue for a newcomer: of the lowest class under the newcomer's that has more waiting than its reserve, else of its own class
   * where some tenant waits with more for its weight than the newcomer's would. The one of that tenant that would go last.
   */
  displaced(tenant: Tenant, klass: number, classes: ClassSlots, newestFirst: boolean): Waiter | undefined {
    for (let lower = this.#lines.length - 1; lower > klass; lower--) {
      if (this.waiting(lower) <= classes.reserve(lower)) continue
      return this.last(lower, newestFirst)
    }
    const longest = this.#line(klass).longest()
    if (!longest) return undefined
    const own = tenant.flow(klass)
    if (longest === own) return newestFirst ? own.head : undefined
    const weight = own.size > 0 ? own.weight : own.weigh()
    if (load(longest) <= (own.size + 1) / weight) return undefined
    return this.last(klass, newestFirst)
  }

  /** Another longest wait, for those that wait too. */
  reschedule(maxWaitMs: number): void {
    for (const { oldest } of this.#lines)
      for (let waiter = oldest; waiter; waiter = waiter.younger) waiter.mayWait(maxWaitMs)
    this.#expiry.rebuild()
  }

  #open(nowMs: number, level: number): number {
    let highest = -1
    let aged = -1
    let agedSince = Number.POSITIVE_INFINITY
    for (let klass = 0; klass < this.#lines.length && !isShed(klass, level); klass++) {
      const oldest = this.#lines[klass]?.oldest
      if (!oldest) continue
      if (highest < 0) {
        highest = klass
        continue
      }
      if (nowMs < oldest.agedMs || oldest.arrivedMs >= agedSince) continue
      aged = klass
      agedSince = oldest.arrivedMs
    }
    return aged >= 0 && this.#sinceAged >= AGED_EVERY - 1 ? aged : highest
  }

  #left(waiter: Waiter, line: ClassLine, nowMs: number): void {
    this.#size--
    this.#expiry.remove(waiter)
    if (line.size === 0) this.rates.idle(waiter.klass, nowMs)
  }

  #line(klass: number): ClassLine {
    return this.#lines[klass] as ClassLine
  }
}
