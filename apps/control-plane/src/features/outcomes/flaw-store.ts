import type { Flaw } from '@weir/api'

/** Books are off from a flaw on until there was none for so long: three windows of an agent that exports every ten seconds. */
export const OFF_SECONDS = 30
/** A flaw that did not come again is told for so long. */
export const TOLD_SECONDS = 3_600
/** Told in one answer. */
export const MOST_TOLD = 1_000

/** What one replica found since it last said so. */
export type SeenFlaw = Omit<Flaw, 'firstAt' | 'lastAt' | 'off'> & { readonly environment: string }

/** Flaws that any replica found: gates of instances whose books did not add up. */
export abstract class FlawStore {
  abstract note(flaws: readonly SeenFlaw[]): Promise<void>
  /** The latest first. */
  abstract list(environment: string, service?: string): Promise<readonly Flaw[]>
  /** Forgets what is no longer told. */
  abstract prune(): Promise<void>
}
