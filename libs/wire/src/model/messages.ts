/**
 * The messages of sub-protocol `weir.v1`: JSON text frames over one WebSocket per process.
 * Durations only, never times of day: clocks of two machines are not compared.
 */
import type { BreakerMode, DeltaChange, EffectivePolicy, Mode, PolicyIdentity, Problem } from '@weir/policy/model'

export const SUBPROTOCOL = 'weir.v1'

/** Where an agent's present policy came from, best first. */
export const POLICY_SOURCES = ['stream', 'poll', 'disk', 'bootstrap', 'built-in'] as const
export type PolicySource = (typeof POLICY_SOURCES)[number]

export const RECEIPT_STATUSES = ['applied', 'partly', 'refused'] as const
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number]

export const BREAKER_STATES = ['closed', 'open', 'half-open'] as const
export type BreakerState = (typeof BREAKER_STATES)[number]

/** First message of an agent. Environment and service are the key's, never the agent's word. */
export interface Hello {
  readonly type: 'hello'
  /** Stable for the process's life, unique in the fleet. */
  readonly instance: string
  /** New at each start of the process. */
  readonly boot: string
  readonly zone: string | null
  readonly host: string
  readonly pid: number
  readonly agentVersion: string
  /** `WEIR_MODE` of the process where set: it beats every policy. */
  readonly modeOverride: Mode | null
  /** The policy in force, `null` on the built-in one. */
  readonly applied: PolicyIdentity | null
  readonly source: PolicySource
}

/** An agent's word on one revision. `hash` is the one received. `refused` lists items that stay as they were. */
export interface Receipt {
  readonly type: 'receipt'
  readonly databaseId: string
  readonly revision: number
  readonly hash: string
  readonly status: ReceiptStatus
  readonly refused: readonly Problem[]
}

export interface GateReport {
  readonly name: string
  readonly mode: Mode
  readonly limit: number
  readonly active: number
  readonly zombies: number
  readonly waiting: number
  readonly oldestAgeMs: number
  /** Overload level, 0 = none. */
  readonly level: number
}

export interface DependencyReport {
  readonly name: string
  readonly ceiling: number
  readonly inFlight: number
  readonly breaker: BreakerState
  readonly breakerMode: BreakerMode
  /** Share of the retry budget that is left, 0..1. */
  readonly budgetLeft: number
}

/** One topic that feeds a gate of this process. */
export interface ConsumerReport {
  readonly gate: string
  readonly topic: string
  /** How far it is behind: age of the oldest message that waits for it, as far as it can see. `null`: unknown, it has no broker. */
  readonly lagMs: number | null
  /** Delivered and not begun. */
  readonly inHand: number
  readonly running: number
  /** It fetches no more for the time being. */
  readonly paused: boolean
}

/** State of an agent at the end of a window. `sequence` grows by one within a boot. */
export interface Report {
  readonly type: 'report'
  readonly sequence: number
  readonly source: PolicySource
  readonly gates: readonly GateReport[]
  readonly dependencies: readonly DependencyReport[]
  readonly consumers: readonly ConsumerReport[]
  /** The shares of its resources' quotas that it applies, as last told: see `Lease`. */
  readonly scales: Scales
}

/** A delta to this revision does not apply to what this agent has, or leads to another hash: it wants the snapshot. */
export interface Resync {
  readonly type: 'resync'
  readonly revision: number
}

export interface Pong {
  readonly type: 'pong'
  readonly n: number
}

/** A planned end: the agent gives its share back now. */
export interface Bye {
  readonly type: 'bye'
  readonly reason: string
}

export type AgentMessage = Hello | Receipt | Report | Resync | Pong | Bye

/** Answer to `hello`: how this control plane wants to be talked to. */
export interface Welcome {
  readonly type: 'welcome'
  readonly databaseId: string
  readonly environment: string
  readonly service: string
  /** A ping comes this often; three missed ones = dead, on either side. */
  readonly heartbeatMs: number
  readonly reportMs: number
  readonly exportMs: number
}

/** The whole effective policy. The agent checks `hash` over its canonical JSON and applies what is valid item by item. */
export interface Snapshot extends PolicyIdentity {
  readonly type: 'snapshot'
  readonly effective: EffectivePolicy
}

/**
 * What of a large effective policy is another one since `from`, which this agent was sent last, or said that it has: changes in order, of which the result
 * has `hash`. An agent with another base, or another hash after it, answers `resync`, and gets the snapshot.
 */
export interface Delta extends PolicyIdentity {
  readonly type: 'delta'
  readonly from: Pick<PolicyIdentity, 'revision' | 'hash'>
  readonly changes: readonly DeltaChange[]
}

/** By resource, the share 0..1 of its quotas that is in force for the time being; a resource that is not named has them whole. */
export type Scales = Readonly<Record<string, number>>

/** Shares travel only here, never in a policy. Until leases exist every quota is split evenly. */
export interface Lease {
  readonly type: 'lease'
  readonly allocator: 'even'
  readonly agents: number
  readonly rank: number
  /** Left out: as they were. A control plane that has just started does not know them yet. */
  readonly scales?: Scales
}

/** Sent when the number of a service's agents changes what they should do. */
export interface Settings {
  readonly type: 'settings'
  readonly reportMs: number
  readonly exportMs: number
}

export interface Ping {
  readonly type: 'ping'
  readonly n: number
}

/** A planned restart: reconnect between `minMs` and `maxMs` from now. */
export interface Drain {
  readonly type: 'drain'
  readonly minMs: number
  readonly maxMs: number
}

export type ControlMessage = Welcome | Snapshot | Delta | Lease | Settings | Ping | Drain
