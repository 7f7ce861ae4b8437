/**
 * Lets the audit say every kind of refusal without letting a flood of them fill it. Per key (what was refused, from where)
 * the first is written at once; repeats within `WINDOW_MS` are counted, and the count is written with the next one, or
 * when the window is over. All keys together are written at most `BURST` at once and `PER_SECOND` on the long run; what
 * was over that is one sum, told by the next entry that gets through.
 */
const WINDOW_MS = 60_000
const BURST = 50
const PER_SECOND = 0.2
/** Callers told apart at a time; the rest share the sum. */
const MAX_KEYS = 1_000

export interface Written {
  readonly key: string
  /** Refusals of this key that were not written since its last entry. */
  readonly repeats: number
  /** Refusals of any key that fell out of the books' bounds since the last entry. */
  readonly others: number
}

interface Line {
  since: number
  repeats: number
}

export class RefusalBook {
  readonly #lines = new Map<string, Line>()
  #tokens = BURST
  #filledAt: number
  #others = 0

  constructor(now: number) {
    this.#filledAt = now
  }

  get size(): number {
    return this.#lines.size
  }

  has(key: string): boolean {
    return this.#lines.has(key)
  }

  /** Books one refusal at `now` (monotonic, ms). Returns what to write, or `null` when it was only counted. */
  note(key: string, now: number): Written | null {
    const line = this.#lines.get(key)
    if (line !== undefined && now - line.since < WINDOW_MS) {
      line.repeats++
      return null
    }
    if (line === undefined && this.#lines.size >= MAX_KEYS) {
      this.#others++
      return null
    }
    if (!this.#take(now)) {
      if (line !== undefined) line.repeats++
      else this.#others++
      return null
    }
    this.#lines.set(key, { since: now, repeats: 0 })
    return this.#written(key, line?.repeats ?? 0)
  }

  /** Ends the windows that are over at `now`: returns one entry for each that had repeats, as far as the rate allows. */
  sweep(now: number): Written[] {
    const written: Written[] = []
    for (const [key, line] of this.#lines) {
      if (now - line.since < WINDOW_MS) continue
      if (line.repeats > 0) {
        if (!this.#take(now)) break
        written.push(this.#written(key, line.repeats))
      }
      this.#lines.delete(key)
    }
    return written
  }

  #written(key: string, repeats: number): Written {
    const others = this.#others
    this.#others = 0
    return { key, repeats, others }
  }

  #take(now: number): boolean {
    this.#tokens = Math.min(BURST, this.#tokens + ((now - this.#filledAt) / 1_000) * PER_SECOND)
    this.#filledAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}
