import type { AgentState, AgentTally } from '@weir/api'
import type { PolicyIdentity } from '@weir/policy/model'
import type { AgentRecord, ReceiptRecord, ServiceRef } from './agent-record.ts'

export interface StoredAgent {
  readonly record: AgentRecord
  readonly connected: boolean
}

/** An agent as the database has it. */
export interface SeenAgent extends StoredAgent {
  readonly serviceId: string
  /** It is what this replica wrote last of it. */
  readonly own: boolean
}

/** What was written of some services' agents since a moment, and the moment to ask from next. */
export interface Changes {
  readonly agents: readonly SeenAgent[]
  readonly until: Date
}

/** A place in a listing; opaque outside. */
export interface AgentCursor {
  readonly service: string
  readonly instance: string
}

/** What a control plane must know of a service before it talks to its agents. */
export interface StoredRoom {
  readonly serviceId: string
  /** Every instance that has not ended: who counts in the split after a restart. */
  readonly members: readonly AgentRecord[]
}

/** What a store is told at once. An agent is in `agents` or in `heard`, not in both. */
export interface AgentBatch {
  readonly agents: readonly StoredAgent[]
  readonly receipts: readonly ReceiptRecord[]
  /** Only when they were heard last. */
  readonly heard: readonly AgentRecord[]
}

export interface AgentChoice {
  readonly service?: string | undefined
  /** A part of the service, instance, host, zone or version, in either case. */
  readonly search?: string | undefined
}

export interface AgentFilter extends AgentChoice {
  readonly state?: AgentState | undefined
  /** What needs a look first; else by service and instance. */
  readonly urgent?: boolean
  readonly after: AgentCursor | null
  /** Passed over. */
  readonly offset?: number
  readonly limit: number
}

export interface AgentOfPage extends StoredAgent {
  readonly intended: PolicyIdentity | null
}

export interface StoredReceipt extends ReceiptRecord {
  readonly id: bigint
}

/** What is dropped: agents that ended, or were heard last, before; receipts from before, and all but the newest of a service. */
export interface Pruning {
  readonly endedBefore: Date
  readonly receiptsBefore: Date
  readonly receiptsKept: number
}

/** Where agents and receipts are kept. */
export abstract class AgentStore {
  /** `null`: there is no such service. */
  abstract room(ref: ServiceRef): Promise<StoredRoom | null>
  /**
   * One transaction; a row whose service is gone is left out. What is said of an agent that is gone from here is passed over where another replica
   * has it by now; it keeps its place in the split.
   */
  abstract write(batch: AgentBatch): Promise<void>
  /** Agents that were written of since, by whichever replica; some may come twice. `null`: lately. */
  abstract changes(serviceIds: readonly string[], since: Date | null): Promise<Changes>
  /** From after the cursor, which is a place in the order by service and instance. `null`: there is no such environment. */
  abstract page(environment: string, filter: AgentFilter): Promise<AgentOfPage[] | null>
  abstract tally(environment: string, choice: AgentChoice): Promise<AgentTally>
  /** The newest first, before the id. `null`: there is no such service. */
  abstract receipts(
    ref: ServiceRef,
    page: { readonly before: bigint | null; readonly limit: number },
  ): Promise<StoredReceipt[] | null>
  abstract prune(what: Pruning): Promise<void>
}
