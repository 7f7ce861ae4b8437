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
