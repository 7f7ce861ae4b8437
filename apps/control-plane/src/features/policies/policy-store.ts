import type { Draft, PolicyVersion, Published } from '@weir/api'
import type { Policy } from '@weir/policy/model'
import type { Expected } from '../expected.ts'
import type { PageRequest, Rows } from '../paging.ts'
import type { Result } from '../result.ts'
import type { ServiceRef } from '../services/service-ref.ts'

/** A document that was read and is valid. */
export interface PreparedPolicy {
  readonly document: string
  readonly format: 'yaml' | 'json'
  readonly policy: Policy
}

export interface Publication extends PreparedPolicy {
  readonly expected: Expected
  readonly author: string
  readonly reason: string
  /** The earlier version whose document this is, on a roll-back. */
  readonly rolledBackTo: number | null
}

/** What a write led to, and whose agents are concerned. */
export interface Committed extends Published {
  readonly serviceId: string
}

export interface StoredVersion extends PolicyVersion {
  readonly policy: Policy
}

export interface StoredDraft extends Draft {
  readonly etag: string
}

/** Policy documents and their immutable versions. */
export abstract class PolicyStore {
  /** One transaction: version, revision, effective policy, audit, outbox. `expected` is about `"policy-<version>"`. */
  abstract publish(ref: ServiceRef, publication: Publication): Promise<Result<Committed>>
  /** The newest version; 0 and `null` before the first. */
  abstract current(ref: ServiceRef): Promise<Result<{ version: number; published: StoredVersion | null }>>
  abstract version(ref: ServiceRef, version: number): Promise<Result<StoredVersion>>
  /** The newest first. */
  abstract versions(ref: ServiceRef, page: PageRequest<number>): Promise<Result<Rows<PolicyVersion>>>
  abstract draft(ref: ServiceRef): Promise<Result<StoredDraft>>
  abstract putDraft(ref: ServiceRef, expected: Expected, draft: Omit<Draft, 'updatedAt'>): Promise<Result<StoredDraft>>
  abstract dropDraft(ref: ServiceRef, expected: Expected): Promise<Result<null>>
  /** Paths that live agents of the service refused, one list an agent. */
  abstract refusedPaths(ref: ServiceRef): Promise<Result<readonly (readonly string[])[]>>
}

export const policyTag = (version: number): string => `"policy-${version}"`
