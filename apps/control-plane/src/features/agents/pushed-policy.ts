import { deltaOf, type EffectivePolicy, type PolicyIdentity } from '@weir/policy/model'
import { encode } from '@weir/wire'
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
  /** What leads here from the policy that was pushed before, where that is much less to send. */
  readonly delta?: PushedDelta
}

export interface PushedDelta {
  readonly from: PolicyIdentity
  /** The wire frame. */
  readonly frame: Buffer
}

/** A snapshot shorter than this is sent whole. */
const DELTA_FROM_BYTES = 16_384
/** A delta is to be at most this share of the snapshot: else there is little to gain. */
const DELTA_SHARE = 0.5

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

/** The policy with what leads to it from the one before, reckoned once for all agents. */
export const withDelta = (before: PushedPolicy | null, policy: PushedPolicy): PushedPolicy => {
  const { identity, snapshot } = policy
  if (before?.identity.databaseId !== identity.databaseId || snapshot.length < DELTA_FROM_BYTES) return policy
  const { revision, hash } = before.identity
  const changes = deltaOf(effectiveOf(before), effectiveOf(policy))
  const frame = Buffer.from(encode({ type: 'delta', ...identity, from: { revision, hash }, changes }))
  return frame.length > snapshot.length * DELTA_SHARE ? policy : { ...policy, delta: { from: before.identity, frame } }
}

const effectiveOf = ({ body }: PushedPolicy): Record<string, unknown> =>
  (JSON.parse(body.toString()) as { effective: Record<string, unknown> }).effective

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
