import type { EvenSplit } from '@weir/policy/model'
import type { Scales } from '@weir/wire'
import type { FeedbackElsewhere } from '../feedback/feedback.ts'
import type { Leases } from '../leases/leases-port.ts'
import type { LiveBroadcast } from '../live/live-port.ts'
import type { ServiceRef } from './agent-record.ts'
import type { AgentKeyIdentity, Misbehaviour } from './agent-session.ts'
import type { AgentStore } from './agents-port.ts'
import type { Others } from './others.ts'
import type { PushedPolicy } from './pushed-policy.ts'

export interface HubClock {
  monotonicMs(): number
  wallMs(): number
}

export interface HubPorts {
  readonly databaseId: string
  readonly store: AgentStore
  readonly leases: Leases
  readonly live: Pick<LiveBroadcast, 'agents' | 'watched'>
  readonly clock: HubClock
  /** What other replicas write of agents. */
  readonly others: Pick<Others, 'isFresh' | 'look'>
  /** What they say of the rules of feedback. */
  readonly feedback: FeedbackElsewhere
  /** The effective policy of a service as it is now; `null` before the first publish. */
  policy(serviceId: string): Promise<PushedPolicy | null>
  /** A socket that was closed for what it did: a refusal of access. */
  misbehaved(key: AgentKeyIdentity, how: Misbehaviour, instance: string | null): void
  /** Agents came over from another database: a restore, a move. */
  databaseChanged(ref: ServiceRef, instance: string, from: string): void
  onError(error: unknown, where: string): void
}

/** What the transport calls for one socket. */
export interface AgentConnection {
  /** `null`: a binary frame. */
  message(text: string | null): void
  /** A frame that cannot be read; the transport closes by itself. */
  broken(how: Misbehaviour): void
  closed(): void
}

/** The answer to a poll. */
export interface Polled {
  /** `null` before the first publish. */
  readonly policy: PushedPolicy | null
  /** `null`: an instance that was not named, or that is not counted. */
  readonly split: EvenSplit | null
  /** `null`: not known yet. */
  readonly scales: Scales | null
}

export type Misbehaviours = Record<Misbehaviour, number>
