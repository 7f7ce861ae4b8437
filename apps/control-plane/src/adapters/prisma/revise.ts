import { BUILT_IN_POLICY, type Policy } from '@weir/policy/model'
import { encodeEffective } from '../../features/policies/effective.ts'
import type { Committed } from '../../features/policies/policy-store.ts'
import { done, type Result } from '../../features/result.ts'
import type { ServiceRef } from '../../features/services/service-ref.ts'
import type { Service } from '../../generated/prisma/client.ts'
import type { Transaction } from './database.ts'
import { outbox } from './prisma-outbox.ts'

/** Revisions of one service whose whole text is kept; of older ones only the identity. */
const BODIES = 20

export interface Revision {
  readonly policy: Policy
  readonly policyVersion: number
  /** The quota's or the policy's, for the answer. */
  readonly version: number
  readonly author: string
  readonly reason: string
}

/**
 * The part of every publish after its own row: joins policy and quotas, and makes a new revision exactly when the hash
 * changed. The caller holds the service's row lock, and has written its own change before.
 */
export const revise = async (
  tx: Transaction,
  ref: ServiceRef,
  service: Service,
  { policy, policyVersion, version, author, reason }: Revision,
): Promise<Result<Committed>> => {
  const quotas = await tx.quota.findMany({ where: { serviceId: service.id } })
  const encoded = encodeEffective(policy, quotas)
  if (!encoded.ok) return encoded
  const { hash, effective } = encoded.value
  const changed = hash !== service.hash
  const revision = changed ? service.revision + 1 : service.revision
  if (changed) {
    await tx.effectiveRevision.create({ data: { serviceId: service.id, revision, hash, policyVersion, effective } })
    await tx.effectiveRevision.updateMany({
      where: { serviceId: service.id, revision: { lte: revision - BODIES }, effective: { not: null } },
      data: { effective: null },
    })
  }
  const at = new Date()
  await tx.service.update({ where: { id: service.id }, data: { revision, hash, policyVersion, publishedAt: at } })
  await outbox(tx, 'published', { ...ref, revision, policyVersion, author, reason, at: at.toISOString() })
  return done({ serviceId: service.id, revision, hash, changed, version })
}

/** The policy in force of a service, as it was resolved when it was published. */
export const policyInForce = async (tx: Transaction, service: Service): Promise<Policy> => {
  if (service.policyVersion === 0) return BUILT_IN_POLICY
  const row = await tx.policyVersion.findUniqueOrThrow({
    where: { serviceId_version: { serviceId: service.id, version: service.policyVersion } },
  })
  return JSON.parse(row.policy) as Policy
}
