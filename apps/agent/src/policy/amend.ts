import { policyHash } from '@weir/policy/hash'
import { applyDelta } from '@weir/policy/model'
import type { Delta, Snapshot } from '@weir/wire/model'

/** The policy that a delta leads to from the one at hand; `null`: it is a delta of another one, or leads elsewhere. */
export const amended = (base: Omit<Snapshot, 'type'> | null, delta: Delta): Snapshot | null => {
  const { databaseId, revision, hash, from, changes } = delta
  const isBase = base?.databaseId === databaseId && base.revision === from.revision && base.hash === from.hash
  const effective = isBase ? applyDelta(base.effective as unknown as Record<string, unknown>, changes) : null
  if (effective === null || policyHash(effective) !== hash) return null
  return { type: 'snapshot', databaseId, revision, hash, effective: effective as unknown as Snapshot['effective'] }
}
