import type { Mode, PolicyIdentity, Problem } from '@weir/policy/model'
import type { DependencyReport, GateReport, PolicySource, ReceiptStatus } from '@weir/wire'

/** A service within an environment. */
export interface ServiceRef {
  readonly environment: string
  readonly service: string
}

export const refKey = (ref: ServiceRef): string => JSON.stringify([ref.environment, ref.service])

/** An agent's latest word on a revision. */
export interface LastReceipt extends PolicyIdentity {
  readonly status: ReceiptStatus
  readonly refused: readonly Problem[]
}

/** All that is known of one instance of a service; times are wall-clock milliseconds. */
export interface AgentRecord extends ServiceRef {
  readonly instance: string
  boot: string
  keyId: string
  zone: string | null
  host: string
  pid: number
  agentVersion: string
  modeOverride: Mode | null
  source: PolicySource
  applied: PolicyIdentity | null
  receipt: LastReceipt | null
  gates: readonly GateReport[]
  dependencies: readonly DependencyReport[]
  /** When it took its place in the split. */
  joinedAtMs: number
  /** When this boot said hello first. */
  startedAtMs: number
  lastHeardAtMs: number
  endedAtMs: number | null
}

export interface ReceiptRecord extends ServiceRef {
  readonly instance: string
  readonly revision: number
  readonly status: ReceiptStatus
  readonly refused: readonly Problem[]
  readonly atMs: number
}

export const sameIdentity = (a: PolicyIdentity | null, b: PolicyIdentity | null): boolean =>
  a !== null && b !== null && a.databaseId === b.databaseId && a.revision === b.revision && a.hash === b.hash

/** A restored database is older than what the agent has: it never goes back. */
export const isAhead = (applied: PolicyIdentity | null, intended: PolicyIdentity | null, databaseId: string): boolean =>
  applied !== null && applied.databaseId === databaseId && applied.revision > (intended?.revision ?? 0)
