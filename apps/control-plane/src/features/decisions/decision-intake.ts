import type { DecisionStore, StoredDecision } from './decision-store.ts'

/** Of one gate or dependency and reason, in each stretch of so long: as many from a calm minute as from a busy one. */
const STRETCH_MS = 10_000
const MOST_OF_A_KIND = 4
/** Of one service, and of all, in each stretch. */
const MOST_OF_A_SERVICE = 40
const MOST = 400
/** Kinds that are told apart in a stretch. */
const MAX_KINDS = 10_000

/** Counts since the start. */
export interface DecisionCounts {
  kept: number
  /** Beyond what is kept of a kind, a service or all. */
  passed: number
  /** Could not be written. */
  lost: number
}

/**
 * Chooses which refusals are kept, so that a storm of one does not crowd out the others, and writes them once a second. They are samples: what could
 * not be written is counted and gone.
 */
export class DecisionIntake {
  readonly counts: DecisionCounts = { kept: 0, passed: 0, lost: 0 }
  readonly #store: DecisionStore
  readonly #taken = new Map<string, number>()
  #stretch = Number.NaN
  #all = 0
  #waiting: StoredDecision[] = []

  constructor(store: DecisionStore) {
    this.#store = store
  }

  take(decisions: readonly StoredDecision[], nowMs: number): void {
    const stretch = Math.floor(nowMs / STRETCH_MS)
    if (stretch !== this.#stretch) {
      this.#stretch = stretch
      this.#all = 0
      this.#taken.clear()
    }
    for (const decision of decisions)
      if (this.#chosen(decision)) {
        this.counts.kept++
        this.#waiting.push(decision)
      } else this.counts.passed++
  }

  /** Called once a second. Never rejects for a database that is away. */
  async flush(nowMs: number): Promise<void> {
    const waiting = this.#waiting.splice(0)
    if (waiting.length === 0) return
    try {
      await this.#store.add(waiting, nowMs)
    } catch {
      this.counts.lost += waiting.length
    }
  }

  #chosen({ environment, service, kind, name, reason }: StoredDecision): boolean {
    const own = `${environment}\n${service}`
    const same = `${own}\n${kind}\n${name}\n${reason}`
    const [ofService, ofKind] = [this.#taken.get(own) ?? 0, this.#taken.get(same) ?? 0]
    if (this.#all >= MOST || ofService >= MOST_OF_A_SERVICE || ofKind >= MOST_OF_A_KIND) return false
    if (this.#taken.size >= MAX_KINDS) return false
    this.#all++
    this.#taken.set(own, ofService + 1)
    this.#taken.set(same, ofKind + 1)
    return true
  }
}
