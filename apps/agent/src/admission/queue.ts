import { CRITICALITIES } from '@weir/policy/model'
import { ExpiryHeap, type Heaped } from './heap.ts'
import type { Tenant } from './tenant.ts'
import { DrainRates } from './throughput.ts'
import type { Entry } from './work.ts'

/** At most one start in so many goes to aged work while a higher class waits. */
const AGED_EVERY = 8

/** Work in the queue. Its times are fixed when it enters, but for a policy that changes the longest wait. */
export class Waiter implements Heaped {
  readonly tenant: Tenant
  readonly klass: number
  readonly cost: number
  readonly arrivedMs: number
  readonly deadlineMs: number
  readonly route: string | undefined
  readonly settle: (entry: Entry) => void
  /** The earlier of its longest wait and its deadline. */
  expiresMs = 0
  /** Half of what it may wait is over: from here on it may pass higher classes. */
  agedMs = 0
  place = -1
  next: Waiter | undefined = undefined
  previous: Waiter | undefined = undefined
  signal: AbortSignal | undefined = undefined
  onAbort: (() => void) | undefined = undefined

  constructor(
    tenant: Tenant,
    klass: number,
    cost: number,
    arrivedMs: number,
    deadlineMs: number,
    route: string | undefined,
    settle: (entry: Entry) => void,
  ) {
    this.tenant = tenant
    this.klass = klass
    this.cost = cost
    this.arrivedMs = arrivedMs
    this.deadlineMs = deadlineMs
    this.route = route
    this.settle = settle
  }

  mayWait(maxWaitMs: number): void {
    this.expiresMs = Math.min(this.arrivedMs + maxWaitMs, this.deadlineMs)
    this.agedMs = (this.arrivedMs + this.expiresMs) / 2
  }
}

interface Line {
  head: Waiter | undefined
  tail: Waiter | undefined
  size: number
}

/**
 * The queue of a gate: first in, first out within a class, the highest class first. So that no class starves, the oldest head that has waited for
 * half of what it may goes first once in eight starts. Entering, leaving and starting cost the same however many wait, but for the heap's logarithm.
 */
export class WaitQueue {
  readonly rates = new DrainRates()
  readonly #lines: Line[] = CRITICALITIES.map(() => ({ head: undefined, tail: undefined, size: 0 }))
  readonly #expiry = new ExpiryHeap<Waiter>()
  #size = 0
  #sinceAged = AGED_EVERY

  get size(): number {
    return this.#size
  }

  /** Waiting in this class and those above it. */
  ahead(klass: number): number {
    let sum = 0
    for (let i = 0; i <= klass; i++) sum += this.waiting(i)
    return sum
  }

  waiting(klass: number): number {
    return this.#lines[klass]?.size ?? 0
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
    for (const { head } of this.#lines) if (head && !(oldest <= head.arrivedMs)) oldest = head.arrivedMs
    return oldest
  }

  push(waiter: Waiter, nowMs: number): void {
    const line = this.#lineOf(waiter)
    if (line.size === 0) this.rates.busy(waiter.klass, nowMs)
    waiter.previous = line.tail
    if (line.tail) line.tail.next = waiter
    else line.head = waiter
    line.tail = waiter
    line.size++
    this.#size++
    this.#expiry.push(waiter)
  }

  remove(waiter: Waiter, nowMs: number): void {
    const line = this.#lineOf(waiter)
    if (waiter.previous) waiter.previous.next = waiter.next
    else line.head = waiter.next
    if (waiter.next) waiter.next.previous = waiter.previous
    else line.tail = waiter.previous
    waiter.next = undefined
    waiter.previous = undefined
    line.size--
    this.#size--
    this.#expiry.remove(waiter)
    if (line.size === 0) this.rates.idle(waiter.klass, nowMs)
  }

  /** Whose turn it is. */
  next(nowMs: number): Waiter | undefined {
    let highest: Waiter | undefined
    let aged: Waiter | undefined
    for (const { head } of this.#lines) {
      if (!head) continue
      highest ??= head
      if (nowMs >= head.agedMs && (!aged || head.arrivedMs < aged.arrivedMs)) aged = head
    }
    return aged && this.#sinceAged >= AGED_EVERY - 1 ? aged : highest
  }

  /** It has its turn: it leaves to start. */
  start(waiter: Waiter, nowMs: number): void {
    const overtakes = this.ahead(waiter.klass - 1) > 0
    this.#sinceAged = overtakes ? 0 : Math.min(this.#sinceAged + 1, AGED_EVERY)
    this.rates.departed(waiter.klass, nowMs)
    this.remove(waiter, nowMs)
  }

  /** Another longest wait, for those that wait too. */
  reschedule(maxWaitMs: number): void {
    for (const { head } of this.#lines) for (let waiter = head; waiter; waiter = waiter.next) waiter.mayWait(maxWaitMs)
    this.#expiry.rebuild()
  }

  #lineOf(waiter: Waiter): Line {
    return this.#lines[waiter.klass] as Line
  }
}
