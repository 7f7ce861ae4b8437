/** How long a replica owns a book that it claimed, milliseconds, counted from when it *asked*; how often it asks again; and what a store adds. */
export interface ClaimTiming {
  readonly claimMs: number
  readonly turnMs: number
  /**
   * By so much longer a store keeps others out: its clock may be set forward by less without anybody noticing. Between two calls of any replica lies less,
   * or the store takes its clock for set.
   */
  readonly spareMs: number
}

export const CLAIM_TIMING: ClaimTiming = { claimMs: 3_000, turnMs: 750, spareMs: 2_000 }

/** Whoever claimed before the store's memory began may own for so long. */
export const quietMs = ({ claimMs }: ClaimTiming): number => claimMs * 1.1

export interface ClaimAsked {
  readonly book: string
  /** It owns the book at this moment, by its own clock. */
  readonly owns: boolean
}

export interface Claimed {
  /** Names the store's memory: another one knows nothing of what was claimed before. */
  readonly memory: string
  /** Who owns each book that was asked for, by name. `null`: nobody, and not this one yet. */
  readonly owners: readonly (string | null)[]
}

/**
 * Which replica owns which book of leases: one at most at any moment, whoever dies, and whatever becomes of the store. Only its own clock counts in it.
 *
 * A store that lost its memory (restarted, failed over, emptied, its clock set) knows nobody: for as long as a claim lasts it gives a book only to the
 * replica that owned it when it had already heard of the new memory, which is who says `owns` and names that memory. Others owned nothing then.
 */
export abstract class ClaimStore {
  /** Claims each book, or says whose it is. `memory` is what the last answer named. Call it every `turnMs`, also for nothing. @throws when it is away. */
  abstract claim(replica: string, memory: string | null, asked: readonly ClaimAsked[]): Promise<Claimed>
  /** Gives books up that the replica owned: it grants nothing any more. @throws when it is away. */
  abstract release(replica: string, books: readonly string[]): Promise<void>
}
