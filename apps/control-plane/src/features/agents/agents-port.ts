import type { PolicyIdentity } from '@weir/policy/model'
import type { AgentRecord, ReceiptRecord, ServiceRef } from './agent-record.ts'

export interface StoredAgent {
  readonly record: AgentRecord
  readonly connected: boolean
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

/** Where agents and receipts are kept. */
export abstract class AgentStore {
  /** `null`: there is no such service. */
  abstract room(ref: ServiceRef): Promise<StoredRoom | null>
  /** One transaction; a row whose service is gone is left out. */
  abstract write(batch: AgentBatch): Promise<void>
  /** By service and instance, from after the cursor. */
  abstract page(
    environment: string,
    filter: {
      readonly service?: string
      readonly search?: string
      readonly after: AgentCursor | null
      readonly limit: number
    },
  ): Promise<{ readonly record: AgentRecord; readonly intended: PolicyIdentity | null }[]>
  /** The newest first, before the id. */
  abstract receipts(
    ref: ServiceRef,
    page: { readonly before: bigint | null; readonly limit: number },
  ): Promise<(ReceiptRecord & { readonly id: bigint })[]>
  /** Drops agents that ended before, and receipts that are neither recent nor among the newest of their service. */
  abstract prune(endedBefore: Date, receiptsBefore: Date): Promise<void>
}
