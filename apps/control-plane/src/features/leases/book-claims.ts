import { CLOCK_DRIFT } from '@weir/policy/model'
import { CLAIM_TIMING, type ClaimStore, type ClaimTiming } from './claim-store.ts'

/** A book that nobody asked for here for so long is not claimed any more. */
const WANTED_MS = 60_000

export interface BookClaimsParts {
  readonly store: ClaimStore
  readonly replica: string
  readonly timing?: ClaimTiming
  monotonicMs(): number
  /** This replica does not own the book any more: whatever it granted, it forgets. */
  lost(book: string): void
}

interface Known {
  owner: string | null
  /** Where this replica owns it: until when, by its own clock. */
  untilMs: number
  wantedMs: number
}

/** Whose the books are, as far as this replica knows; and its own claims, which it counts from before it asked, by the drift of clocks less. */
export class BookClaims {
  readonly #parts: BookClaimsParts
  readonly #timing: ClaimTiming
  readonly #books = new Map<string, Known>()
  #memory: string | null = null
  #turn: Promise<void> | null = null
  #ended = false
  #askedMs = Number.NEGATIVE_INFINITY

  constructor(parts: BookClaimsParts) {
    this.#parts = parts
    this.#timing = parts.timing ?? CLAIM_TIMING
  }

  get sinceTurnMs(): number {
    return this.#parts.monotonicMs() - this.#askedMs
  }

  /** Says that the book is needed here. `null`: nobody is known to own it. This replica's own name only while it may grant. */
  ownerOf(book: string): string | null {
    const nowMs = this.#parts.monotonicMs()
    const known = this.#books.get(book) ?? { owner: null, untilMs: Number.NEGATIVE_INFINITY, wantedMs: nowMs }
    known.wantedMs = nowMs
    this.#books.set(book, known)
    this.#expire(book, known, nowMs)
    return known.owner
  }

  owns(book: string): boolean {
    const known = this.#books.get(book)
    if (known === undefined) return false
    this.#expire(book, known, this.#parts.monotonicMs())
    return known.owner === this.#parts.replica
  }

  /** Claims what is needed here and renews what is owned. Never twice at a time; never rejects. */
  turn(): Promise<void> {
    this.#turn ??= this.#claim()
      .catch(() => {})
      .finally(() => {
        this.#turn = null
      })
    return this.#turn
  }

  /** Gives everything up, for good: the next owner need not wait. */
  async end(): Promise<void> {
    this.#ended = true
    await this.#turn
    const own = [...this.#books].filter(([, { owner }]) => owner === this.#parts.replica).map(([book]) => book)
    for (const book of own) this.#lose(book)
    this.#books.clear()
    await this.#parts.store.release(this.#parts.replica, own).catch(() => {})
  }

  async #claim(): Promise<void> {
    if (this.#ended) return
    const { store, replica, monotonicMs } = this.#parts
    const askedMs = monotonicMs()
    this.#askedMs = askedMs
    for (const [book, { wantedMs, owner }] of this.#books)
      if (askedMs - wantedMs > WANTED_MS && owner !== replica) this.#books.delete(book)
    const asked = Array.from(this.#books.keys(), (book) => ({ book, owns: this.owns(book) }))
    const { memory, owners } = await store.claim(replica, this.#memory, asked)
    this.#memory = memory
    if (this.#ended) return
    for (const [i, { book }] of asked.entries()) this.#take(book, owners[i] ?? null, askedMs)
  }

  #take(book: string, owner: string | null, askedMs: number): void {
    const { replica, monotonicMs } = this.#parts
    const known = this.#books.get(book)
    if (known === undefined) return
    const nowMs = monotonicMs()
    const owned = this.owns(book)
    if (owner !== replica) {
      // A store that lost its memory says nobody: what is owned here stays so until its time is over, or it is proved.
      if (owned && owner === null) return
      if (owned) this.#lose(book)
      known.owner = owner
      return
    }
    const untilMs = askedMs + this.#timing.claimMs * (1 - CLOCK_DRIFT)
    if (untilMs <= nowMs) return
    known.owner = replica
    known.untilMs = Math.max(known.untilMs, untilMs)
  }

  #expire(book: string, known: Known, nowMs: number): void {
    if (known.owner === this.#parts.replica && nowMs >= known.untilMs) this.#lose(book)
  }

  #lose(book: string): void {
    const known = this.#books.get(book)
    if (known !== undefined) {
      known.owner = null
      known.untilMs = Number.NEGATIVE_INFINITY
    }
    this.#parts.lost(book)
  }
}
