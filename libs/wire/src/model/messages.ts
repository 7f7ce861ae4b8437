/**
 * The messages of sub-protocol `weir.v1`: JSON text frames over one WebSocket per process.
 * Durations only, never times of day: clocks of two machines are not compared.
 */
import type {
  BreakerMode,
  DeltaChange,
  EffectivePolicy,
  LeaseAsked,
  LeaseGranted,
  LeaseObeyed,
  Mode,
  PolicyIdentity,
  Problem,
} from '@weir/policy/model'

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
  /** It was never answered what it asked of its quotas, and takes an even part of each: outside of what the control plane counts. */
  readonly uncounted: boolean
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

/**
 * What an agent wants of the quotas that it draws on, and all that it holds of them: asked after each welcome, then every refresh, sooner where its
 * demand has outgrown what it told. `n` names the question. An answer that does not come was lost: the next question takes its place.
 */
export interface Ask {
  readonly type: 'ask'
  readonly n: number
  /** Nothing is held but what is named here: false where the leases of an agent are divided among several questions. */
  readonly whole: boolean
  readonly asked: readonly LeaseAsked[]
}

/** Leases became smaller: the agent obeys, and the rest may be given to others before it asks again. */
export interface Obeyed {
  readonly type: 'obeyed'
  readonly obeyed: readonly LeaseObeyed[]
}

/** A planned end: the agent gives its share back now. */
export interface Bye {
  readonly type: 'bye'
  readonly reason: string
}

export type AgentMessage = Hello | Receipt | Report | Ask | Obeyed | Resync | Pong | Bye

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

/** Which of how many agents this is: tenants without a quota of their own are split evenly. Listed quotas are leased, see `Grants`. */
export interface Lease {
  readonly type: 'lease'
  readonly allocator: 'even'
  readonly agents: number
  readonly rank: number
  /** Left out: as they were. A control plane that has just started does not know them yet. */
  readonly scales?: Scales
}

/** The answer to question `n`. A quota that was asked for and is not in it: no news, what is held of it stays, or it is no quota any more. */
export interface Grants {
  readonly type: 'grants'
  readonly n: number
  readonly granted: readonly LeaseGranted[]
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

export type ControlMessage = Welcome | Snapshot | Delta | Lease | Grants | Settings | Ping | Drain

/** What each message is for, by its type. */
export const MESSAGES: Readonly<
  Record<(AgentMessage | ControlMessage)['type'], { readonly from: 'agent' | 'control plane'; readonly what: string }>
> = {
  hello: { from: 'agent', what: 'Who it is and what it runs on; the first message.' },
  receipt: { from: 'agent', what: 'It applied a revision, in part, or refused it, and why.' },
  report: { from: 'agent', what: 'State of its gates, dependencies and consumers.' },
  ask: { from: 'agent', what: 'What it wants and holds of the quotas that it draws on.' },
  obeyed: { from: 'agent', what: 'It obeys a lease that is smaller than the one before.' },
  resync: { from: 'agent', what: 'A delta does not apply to what it has: it wants the snapshot.' },
  pong: { from: 'agent', what: 'The answer to a ping.' },
  bye: { from: 'agent', what: 'It ends, and gives all that it holds back.' },
  welcome: { from: 'control plane', what: 'The answer to hello: how often to report and to export.' },
  snapshot: { from: 'control plane', what: 'The whole effective policy, with its identity.' },
  delta: { from: 'control plane', what: 'What a revision changes in the one before, proved by its hash.' },
  lease: { from: 'control plane', what: 'Its place in the even split, and the shares of quotas under feedback.' },
  grants: { from: 'control plane', what: 'The answer to ask: what it may use, how long, and what then.' },
  settings: { from: 'control plane', what: 'Another pace of reports and exports.' },
  ping: { from: 'control plane', what: 'Heartbeat.' },
  drain: { from: 'control plane', what: 'A planned restart: when to come back.' },
}
