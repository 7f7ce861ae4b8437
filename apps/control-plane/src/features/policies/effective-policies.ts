import type { PolicyIdentity } from '@weir/policy/model'
import type { ServiceRef } from '../services/service-ref.ts'

/** The newest effective policy of a service. `effective` is its canonical JSON, shared by all who send it. */
export interface EffectiveSnapshot extends PolicyIdentity {
  readonly effective: string
}

export interface RevisionChange {
  readonly serviceId: string
  readonly environment: string
  readonly service: string
  readonly revision: number
  readonly hash: string
}

/** Read port of the effective policies, for those who push them. */
export abstract class EffectivePolicies {
  /** `null` before anything was published. Cheap to call for every agent: one read per revision. */
  abstract latest(serviceId: string): Promise<EffectiveSnapshot | null>
  /** The same by the service's names. */
  abstract of(ref: ServiceRef): Promise<EffectiveSnapshot | null>
  /** Calls back after each new revision of any service, on every replica, at the latest a second after its commit. */
  abstract onChange(handler: (change: RevisionChange) => void): () => void
}

/** Where revisions are read from. */
export abstract class RevisionSource {
  /** Identity of the database, and every service that has a revision. */
  abstract revisions(): Promise<readonly RevisionChange[]>
  abstract newest(serviceId: string): Promise<EffectiveSnapshot | null>
}
