/** A message that was delivered and has not begun. Times are of the monotonic clock. */
export interface Held {
  /** When it was made, by its age at delivery. */
  readonly madeMs: number
  /** From when on the broker may give it to another; `Infinity`: never. */
  readonly leaseUntilMs: number
}

/** Delivered messages that have not begun, in the order of their delivery. */
export class Hand<T extends Held> {
  readonly #held = new Set<T>()

  get size(): number {
    return this.#held.size
  }

  get head(): T | undefined {
    const [first] = this.#held
    return first
  }

  add(item: T): void {
    this.#held.add(item)
  }

  take(): T | undefined {
    const { head } = this
    if (head) this.#held.delete(head)
    return head
  }

  /** Takes all out. */
  clear(): T[] {
    const all = [...this.#held]
    this.#held.clear()
    return all
  }

  /** Takes out what is too old or whose lease is over. */
  due(nowMs: number, maxAgeMs: number): T[] {
    const due: T[] = []
    for (const item of this.#held) if (nowMs >= dueOf(item, maxAgeMs)) due.push(item)
    for (const item of due) this.#held.delete(item)
    return due
  }

  /** When the next is due; `Infinity`: none. */
  nextDueMs(maxAgeMs: number): number {
    let least = Number.POSITIVE_INFINITY
    for (const item of this.#held) least = Math.min(least, dueOf(item, maxAgeMs))
    return least
  }

  /** Age of the oldest; NaN where there is none. */
  oldestAgeMs(nowMs: number): number {
    let oldest = Number.NaN
    for (const { madeMs } of this.#held) if (!(nowMs - madeMs <= oldest)) oldest = nowMs - madeMs
    return oldest
  }
}

const dueOf = ({ madeMs, leaseUntilMs }: Held, maxAgeMs: number): number => Math.min(madeMs + maxAgeMs, leaseUntilMs)
