/** The right to judge and deliver, for a few seconds. */
export interface Term {
  /** Grows with every change of hands: what is written under an older one is refused. */
  readonly token: bigint
  /** The database's time: the one clock that all replicas share. */
  readonly nowMs: number
}

/** At most one replica holds it at a time; one that dies loses it within `TERM_SECONDS`. */
export abstract class AlertLeader {
  /** Takes or keeps it; `null`: another replica has it. Called once a second. */
  abstract hold(): Promise<Term | null>
  /** Gives it back at once, for a planned end. */
  abstract release(): Promise<void>
}

export const TERM_SECONDS = 5

/** A round that takes longer is taken for one that hangs: its replica loses the term. */
const LONGEST_ROUND_MS = 60_000

/** Keeps the term while a round takes longer than it: the first one of a large fleet reads an hour's figures. */
export class HeldTerm {
  readonly #leader: AlertLeader
  readonly #clock: () => number
  #began: number | null = null

  constructor(leader: AlertLeader, clock: () => number) {
    this.#leader = leader
    this.#clock = clock
  }

  async during<T>(round: () => Promise<T>): Promise<T> {
    this.#began = this.#clock()
    try {
      return await round()
    } finally {
      this.#began = null
    }
  }

  /** Called once a second. Does nothing between rounds, and for one that hangs. */
  async keep(): Promise<void> {
    if (this.#began === null) return
    const takenMs = this.#clock() - this.#began
    if (takenMs >= 1_000 && takenMs < LONGEST_ROUND_MS) await this.#leader.hold()
  }
}
