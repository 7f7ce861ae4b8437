import type { Flow } from './flow.ts'
import { Heap } from './heap.ts'
import type { Waiter } from './waiter.ts'

/** The waiting work of one class: one flow a tenant, served by start-time fair queueing. O(log of the tenants that wait). */
export class ClassLine {
  size = 0
  /** Sum of the weights of the tenants that wait. */
  weight = 0
  /** Those that arrived first and last. */
  oldest: Waiter | undefined = undefined
  #youngest: Waiter | undefined = undefined
  readonly #flows = new Heap<Flow>(earlier)
  #virtual = 0
  #latest = 0
  #orders = 0
  #longest: Flow | undefined = undefined

  push(waiter: Waiter, flow: Flow): void {
    if (flow.size === 0) {
      flow.startTag = Math.max(this.#virtual, flow.startTag)
      flow.order = this.#orders++
      this.weight += flow.weigh()
      this.#flows.push(flow)
    }
    flow.push(waiter)
    waiter.older = this.#youngest
    if (this.#youngest) this.#youngest.younger = waiter
    else this.oldest = waiter
    this.#youngest = waiter
    this.size++
    this.#compare(flow)
  }

  remove(waiter: Waiter, flow: Flow): void {
    flow.remove(waiter)
    if (flow.size === 0) {
      this.#flows.remove(flow)
      this.weight -= flow.weight
    }
    if (waiter.older) waiter.older.younger = waiter.younger
    else this.oldest = waiter.younger
    if (waiter.younger) waiter.younger.older = waiter.older
    else this.#youngest = waiter.older
    waiter.older = undefined
    waiter.younger = undefined
    this.size--
    if (this.size === 0) this.#end()
  }

  /** It has its turn: it leaves to start, and its tenant's next one moves back. */
  start(waiter: Waiter, flow: Flow): void {
    this.#virtual = Math.max(this.#virtual, flow.startTag)
    this.weight -= flow.weight
    flow.startTag += 1 / flow.weigh()
    this.weight += flow.weight
    this.#latest = Math.max(this.#latest, flow.startTag)
    if (flow.place >= 0) this.#flows.sink(flow)
    this.#compare(flow)
    this.remove(waiter, flow)
  }

  /** Whose turn it is. */
  next(newestFirst: boolean): Waiter | undefined {
    const flow = this.#flows.top
    return newestFirst ? flow?.tail : flow?.head
  }

  /** The tenant with the most waiting for its weight, as of its last arrival or start. */
  longest(): Flow | undefined {
    return this.#longest && this.#longest.size > 0 ? this.#longest : this.#flows.top
  }

  /**
   * Work of this class that a newcomer of `flow` finds ahead: all of it, or, where that is less, what the others start while its tenant's own goes
   * through: (own + 1) x sum of weights / own weight - 1.
   */
  ahead(flow: Flow): number {
    const weight = flow.size > 0 ? flow.weight : flow.weigh()
    const weights = flow.size > 0 ? this.weight : this.weight + weight
    return Math.max(0, Math.min(this.size, ((flow.size + 1) * weights) / weight - 1))
  }

  /** Nobody waits: a new busy time begins where the last ended, and all are equal in it. */
  #end(): void {
    this.#virtual = this.#latest
    this.weight = 0
  }

  #compare(flow: Flow): void {
    if (!this.#longest || load(flow) >= load(this.#longest)) this.#longest = flow
  }
}

const earlier = (a: Flow, b: Flow): boolean => (a.startTag === b.startTag ? a.order < b.order : a.startTag < b.startTag)

/** Waiting work for its weight. */
export const load = (flow: Flow): number => flow.size / flow.weight
