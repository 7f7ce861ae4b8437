/** Kinds of refusal named in one answer. */
const MOST_KINDS = 8

/** What of one request was not taken, and why. */
export class Rejections {
  readonly #counts = new Map<string, number>()
  /** Points or spans that spoke for a service or environment that the key does not. */
  foreign = 0

  add(why: string, count = 1): void {
    if (count === 0) return
    this.#counts.set(why, (this.#counts.get(why) ?? 0) + count)
  }

  get total(): number {
    let total = 0
    for (const count of this.#counts.values()) total += count
    return total
  }

  /** For people. Empty when nothing was refused. */
  get message(): string {
    const kinds = [...this.#counts].sort((a, b) => b[1] - a[1])
    const told = kinds.slice(0, MOST_KINDS).map(([why, count]) => `${why} (${count})`)
    const rest = kinds.length - told.length
    return told.join('; ') + (rest > 0 ? `; and ${rest} more kinds` : '')
  }
}
