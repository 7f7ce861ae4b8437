import type { Runtime } from '../core/clock.ts'
import { report } from '../core/report.ts'

/** Something that becomes due once, or never (`at` Infinity). `heapIndex` is the schedule's own; -1 = not in it. */
export interface Scheduled {
  at: number
  heapIndex: number
  onDue(now: number): void
  /** The schedule closes: it will not become due any more. */
  onClose(): void
}

/**
 * Many deadlines, one timer: a binary heap by `at` whose entries know their index, so that removal costs no search. The timer stands at the
 * earliest moment that was asked for; removing an entry leaves it, and it finds nothing to do. A timer that fires early is set again.
 */
export class Schedule {
  readonly #runtime: Runtime
  readonly #heap: Scheduled[] = []
  #timer: unknown
  #armedFor = Infinity

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  get size(): number {
    return this.#heap.length
  }

  /** Puts `entry` at `at`; one that is in already is moved. */
  put(entry: Scheduled, at: number, now: number): void {
    if (entry.heapIndex >= 0) this.remove(entry)
    entry.at = at
    this.#heap.push(entry)
    this.#up(entry, this.#heap.length - 1)
    if (at < this.#armedFor) this.#arm(at, now)
  }

  remove(entry: Scheduled): void {
    const index = entry.heapIndex
    if (index < 0) return
    entry.heapIndex = -1
    const last = this.#heap.pop()
    if (last === undefined || last === entry) return
    this.#up(last, index)
    this.#down(last, last.heapIndex)
  }

  /** Tells everything that is in it, and forgets it; no timer is left. */
  close(): void {
    for (let last = this.#heap.at(-1); last !== undefined; last = this.#heap.at(-1)) {
      this.remove(last)
      last.onClose()
    }
    this.#disarm()
  }

  #arm(at: number, now: number): void {
    this.#disarm()
    this.#armedFor = at
    this.#timer = this.#runtime.timers.set(this.#fire, Math.max(0, at - now))
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#runtime.timers.clear(this.#timer)
    this.#timer = undefined
    this.#armedFor = Infinity
  }

  readonly #fire = (): void => {
    this.#timer = undefined
    this.#armedFor = Infinity
    const now = this.#runtime.clock.now()
    for (let head = this.#heap[0]; head !== undefined && head.at <= now; head = this.#heap[0]) {
      this.remove(head)
      try {
        head.onDue(now)
      } catch (error) {
        report(this.#runtime, error, 'outbound schedule')
      }
    }
    const next = this.#heap[0]
    if (next !== undefined && next.at < this.#armedFor) this.#arm(next.at, now)
  }

  #up(entry: Scheduled, from: number): void {
    let index = from
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = this.#heap[parentIndex]
      if (parent === undefined || parent.at <= entry.at) break
      this.#place(parent, index)
      index = parentIndex
    }
    this.#place(entry, index)
  }

  #down(entry: Scheduled, from: number): void {
    let index = from
    for (;;) {
      const child = this.#earlierChild(index)
      if (child === undefined || child.at >= entry.at) break
      const childIndex = child.heapIndex
      this.#place(child, index)
      index = childIndex
    }
    this.#place(entry, index)
  }

  #earlierChild(index: number): Scheduled | undefined {
    const left = this.#heap[2 * index + 1]
    const right = this.#heap[2 * index + 2]
    return left !== undefined && right !== undefined && right.at < left.at ? right : left
  }

  #place(entry: Scheduled, index: number): void {
    this.#heap[index] = entry
    entry.heapIndex = index
  }
}
