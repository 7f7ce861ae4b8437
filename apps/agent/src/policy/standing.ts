import { BUILT_IN_POLICY, type EffectivePolicy, type PolicyIdentity, type Problem } from '@weir/policy/model'
import type { PolicySource, ReceiptStatus } from '@weir/wire/model'

/** An effective policy as it arrived, before anything in it is believed. */
export interface RawEffective {
  readonly policy: unknown
  readonly quotas: unknown
}

export const NOTHING: EffectivePolicy = { policy: BUILT_IN_POLICY, quotas: {} }

export interface Offer {
  readonly source: PolicySource
  readonly identity: PolicyIdentity | null
  readonly effective: RawEffective
  /** Its content was found to have the identity's hash already. */
  readonly proved?: boolean
}

export interface Settled {
  /** Whether something else than before is in force. */
  readonly changed: boolean
  readonly status: ReceiptStatus
  readonly refused: readonly Problem[]
}

/** The policy in force, how it was taken, and what may take its place. */
export interface Policies {
  readonly effective: EffectivePolicy
  readonly standing: Standing
  readonly settled: Settled
  offer(offer: Offer): Settled
}

/** Of a process that cannot read a policy: the built-in one, for good. */
export const builtInOnly = (): Policies => ({
  effective: NOTHING,
  standing: { source: 'built-in', identity: null },
  settled: { changed: false, status: 'applied', refused: [] },
  offer: () => ({
    changed: false,
    status: 'refused',
    refused: [{ path: '', message: 'This process could not load what reads a policy.' }],
  }),
})

/** What is in force: where it came from and which it is; a bootstrap file and the built-in policy have no identity. */
export interface Standing {
  readonly source: PolicySource
  readonly identity: PolicyIdentity | null
}

/** `apply`: it is newer or better. `repeat`: the very policy in force. `older`, `lesser`: what is in force stays. */
export type Verdict = 'apply' | 'repeat' | 'older' | 'lesser'

/** Lower is better. Stream and poll bring the control plane's own word over an authenticated connection: equals. */
const RANK: Readonly<Record<PolicySource, number>> = { stream: 0, poll: 0, disk: 1, bootstrap: 2, 'built-in': 3 }

/**
 * The choice between the layers of last resort.
 * A local layer counts only while nothing better is in force. The control plane's word counts unless it is of an earlier revision of the same
 * database; another database id is a restored or moved control plane and starts anew.
 */
export const weigh = (present: Standing, offered: Standing): Verdict => {
  if (RANK[offered.source] > 0) return RANK[offered.source] < RANK[present.source] ? 'apply' : 'lesser'
  const { identity: mine } = present
  const { identity: theirs } = offered
  if (mine === null || theirs === null || mine.databaseId !== theirs.databaseId) return 'apply'
  if (theirs.revision < mine.revision) return 'older'
  return theirs.revision === mine.revision && theirs.hash === mine.hash ? 'repeat' : 'apply'
}
