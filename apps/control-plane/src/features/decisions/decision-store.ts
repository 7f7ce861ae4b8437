import type { Decision } from '@weir/api'
import type { PageRequest, Rows } from '../paging.ts'

/** A decision and whose environment it was in. */
export interface StoredDecision extends Omit<Decision, 'rule'> {
  readonly environment: string
}

/** Of the last row of a page. */
export interface DecisionPlace {
  readonly at: string
  readonly id: string
}

export interface DecisionFilter {
  readonly environment: string
  readonly service?: string | undefined
  readonly kind?: Decision['kind'] | undefined
  readonly name?: string | undefined
  readonly reason?: string | undefined
  readonly class?: string | undefined
  readonly tenant?: string | undefined
  readonly instance?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Sampled refusals of the last 24 hours. */
export abstract class DecisionStore {
  /** Those that it has already are left out. */
  abstract add(decisions: readonly StoredDecision[], nowMs: number): Promise<void>
  /** The newest first. */
  abstract list(filter: DecisionFilter, page: PageRequest<DecisionPlace>): Promise<Rows<StoredDecision>>
  /** Makes room ahead and drops what is too old. */
  abstract maintain(nowMs: number): Promise<void>
}
