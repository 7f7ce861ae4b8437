/** Top-class claims that a caller may make before its share is known, and the most that it may save up. */
const GRACE = 10
/** Callers that are told apart; they are authenticated peers, so a fleet has few. */
const MAX_CALLERS = 1_000
/** Entries looked at for a newcomer's place. */
const EVICTION_STEPS = 8

interface Caller {
  /** Top-class claims that it may still make: every piece of its work earns `cap`, every claim granted costs 1. */
  credit: number
  /** Has asked since it was last looked at for its place. */
  seen: boolean
}

/**
 * Caps the share of a caller's work that runs in its top class, as a token bucket counted in work instead of time: of any row of n pieces at most
 * cap x n + 10 stay in the top class, the surplus is demoted. What is demoted is served as the next class below.
 */
export class Inflation {
  readonly #callers = new Map<string, Caller>()
  #cap = 1

  obey(cap: number): void {
    this.#cap = cap
  }

  get size(): number {
    return this.#callers.size
  }

  /** Counts one piece of work; whether its claim of the top class is granted. Work without a caller is of one caller. */
  grants(caller: string | undefined, claimsTop: boolean): boolean {
    const entry = this.#entry(caller ?? '')
    entry.seen = true
    entry.credit = Math.min(entry.credit + this.#cap, GRACE)
    if (!claimsTop) return true
    if (this.#cap === 0 || entry.credit < 1) return false
    entry.credit--
    return true
  }

  #entry(name: string): Caller {
    const known = this.#callers.get(name)
    if (known) return known
    if (this.#callers.size >= MAX_CALLERS) this.#evict()
    const entry = { credit: GRACE, seen: true }
    this.#callers.set(name, entry)
    return entry
  }

  /** One that has not asked for long, else the one that came first. */
  #evict(): void {
    let steps = EVICTION_STEPS
    let first: string | undefined
    for (const [name, entry] of this.#callers) {
      first ??= name
      if (!entry.seen || steps-- === 0) {
        this.#callers.delete(entry.seen ? first : name)
        return
      }
      entry.seen = false
    }
  }
}
