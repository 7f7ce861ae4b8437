import type { Tenant } from './tenant.ts'
import type { Waiter } from './waiter.ts'

/** A lighter weight counts as this one: virtual times stay far from the end of exact numbers. */
const LEAST_WEIGHT = 1e-3

/**
 * One tenant's waiting work of one class, oldest first. In start-time fair queueing every tenant's next work has a virtual start; the least goes
 * first, and each start moves its tenant's by 1 / weight. It is kept while the tenant does not wait, so that asking one by one earns nothing.
 */
export class Flow {
  readonly tenant: Tenant
  head: Waiter | undefined = undefined
  tail: Waiter | undefined = undefined
  size = 0
  /** Virtual start of its next. */
  startTag = 0
  /** Which of two with the same start began to wait first. */
  order = 0
  place = -1
  #weight = 1

  constructor(tenant: Tenant) {
    this.tenant = tenant
  }

  /** As of its last `weigh`. */
  get weight(): number {
    return this.#weight
  }

  weigh(): number {
    this.#weight = Math.max(this.tenant.weight, LEAST_WEIGHT)
    return this.#weight
  }

  push(waiter: Waiter): void {
    waiter.previous = this.tail
    if (this.tail) this.tail.next = waiter
    else this.head = waiter
    this.tail = waiter
    this.size++
  }

  remove(waiter: Waiter): void {
    if (waiter.previous) waiter.previous.next = waiter.next
    else this.head = waiter.next
    if (waiter.next) waiter.next.previous = waiter.previous
    else this.tail = waiter.previous
    waiter.next = undefined
    waiter.previous = undefined
    this.size--
  }
}
