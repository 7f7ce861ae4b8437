import type { Mode, PolicyIdentity, Problem } from '@weir/policy/model'
import type { ConsumerReport, DependencyReport, GateReport, Hello, PolicySource, ReceiptStatus } from '@weir/wire'

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
  consumers: readonly ConsumerReport[]
  /** It takes an even part of its quotas, outside of what is counted: it was never answered. */
  uncounted: boolean
  /** When it took its place in the split. */
  joinedAtMs: number
  /** When this boot said hello first. */
  startedAtMs: number
  lastHeardAtMs: number
  endedAtMs: number | null
}

export interface ReceiptRecord extends ServiceRef, LastReceipt {
  readonly instance: string
  readonly boot: string
  readonly atMs: number
}

export const sameIdentity = (a: PolicyIdentity | null, b: PolicyIdentity | null): boolean =>
  a !== null && b !== null && a.databaseId === b.databaseId && a.revision === b.revision && a.hash === b.hash

/** A restored database is older than what the agent has: it never goes back. */
export const isAhead = (applied: PolicyIdentity | null, intended: PolicyIdentity | null, databaseId: string): boolean =>
  applied !== null && applied.databaseId === databaseId && applied.revision > (intended?.revision ?? 0)

/** What a hello says of its process. */
export const said = (hello: Hello) => ({
  instance: hello.instance,
  boot: hello.boot,
  zone: hello.zone,
  host: hello.host,
  pid: hello.pid,
  agentVersion: hello.agentVersion,
  modeOverride: hello.modeOverride,
  source: hello.source,
  applied: hello.applied,
})

/** What is known of a process that only polls. */
export const unknownProcess = (instance: string, keyId: string, host: string, nowMs: number) => ({
  instance,
  boot: '',
  keyId,
  zone: null,
  host,
  pid: 0,
  agentVersion: 'unknown',
  modeOverride: null,
  source: 'poll' as const,
  applied: null,
  receipt: null,
  gates: [],
  dependencies: [],
  consumers: [],
  uncounted: false,
  startedAtMs: nowMs,
  lastHeardAtMs: nowMs,
  endedAtMs: null,
})
