import { type ClaimAsked, type Claimed, ClaimStore, type ClaimTiming, quietMs } from './claim-store.ts'

interface Record {
  readonly owner: string
  readonly untilMs: number
}

/** The claims of replicas that share a process: for tests, on their time. */
export class MemoryClaims extends ClaimStore {
  away = false
  #memory = 0
  #quietUntilMs = Number.NEGATIVE_INFINITY
  #atMs: number | null = null
  readonly #records = new Map<string, Record>()

  constructor(
    private readonly timing: ClaimTiming,
    private readonly nowMs: () => number,
  ) {
    super()
  }

  /** Emptied, as if it had never been. */
  lose(): void {
    this.#atMs = null
  }

  override async claim(replica: string, memory: string | null, asked: readonly ClaimAsked[]): Promise<Claimed> {
    if (this.away) throw new Error('The store of claims is away.')
    const nowMs = this.nowMs()
    const { claimMs, spareMs } = this.timing
    if (this.#atMs === null || nowMs < this.#atMs || nowMs - this.#atMs > spareMs) {
      this.#memory++
      this.#records.clear()
      this.#quietUntilMs = nowMs + quietMs(this.timing)
    }
    this.#atMs = nowMs
    const named = String(this.#memory)
    const owners = asked.map(({ book, owns }) => {
      const record = this.#records.get(book)
      if (record !== undefined && record.owner !== replica && nowMs < record.untilMs) return record.owner
      if (record === undefined && nowMs < this.#quietUntilMs && !(owns && memory === named)) return null
      this.#records.set(book, { owner: replica, untilMs: nowMs + claimMs + spareMs })
      return replica
    })
    return { memory: named, owners }
  }

  override async release(replica: string, books: readonly string[]): Promise<void> {
    if (this.away) throw new Error('The store of claims is away.')
    for (const book of books)
      if (this.#records.get(book)?.owner === replica) this.#records.set(book, { owner: replica, untilMs: 0 })
  }
}
