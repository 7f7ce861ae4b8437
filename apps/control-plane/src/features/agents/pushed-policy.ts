import type { EffectivePolicy, PolicyIdentity } from '@weir/policy/model'
import type { AgentRecord } from './agent-record.ts'
import { isAhead, sameIdentity } from './agent-record.ts'
import { feedbackOf, type PushedFeedback } from './pushed-feedback.ts'

/** An effective policy in the two forms in which it leaves, each encoded once for all agents of a service. */
export interface PushedPolicy {
  readonly identity: PolicyIdentity
  /** The wire frame. */
  readonly snapshot: Buffer
  /** The answer to a poll: the same members without `type`. */
  readonly body: Buffer
  readonly etag: string
  readonly feedback: PushedFeedback
}

export const pushedPolicy = (
  { databaseId, revision, hash }: PolicyIdentity,
  effective: EffectivePolicy | string,
): PushedPolicy => {
  const text = typeof effective === 'string' ? effective : JSON.stringify(effective)
  const members = `${JSON.stringify({ databaseId, revision, hash }).slice(1, -1)},"effective":${text}}`
  return {
    identity: { databaseId, revision, hash },
    snapshot: Buffer.from(`{"type":"snapshot",${members}`),
    body: Buffer.from(`{${members}`),
    etag: `"${databaseId}.${revision}.${hash}"`,
    feedback: feedbackOf(typeof effective === 'string' ? (JSON.parse(effective) as EffectivePolicy) : effective),
  }
}

/**
 * Whether an agent that says hello is sent the policy: not when it runs on it, not when it is ahead (it never goes back),
 * and not when this very process has refused it before: a refused revision is not re-sent in a loop.
 */
export const wantsSnapshot = (
  record: Pick<AgentRecord, 'applied' | 'receipt'>,
  policy: PushedPolicy,
  sameBoot: boolean,
): boolean => {
  const { identity } = policy
  if (sameIdentity(record.applied, identity) || isAhead(record.applied, identity, identity.databaseId)) return false
  return !(sameBoot && record.receipt?.status === 'refused' && sameIdentity(record.receipt, identity))
}
