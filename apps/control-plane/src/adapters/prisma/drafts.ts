import { randomBytes } from 'node:crypto'
import type { Draft } from '@weir/api'
import { checkExpected, type Expected } from '../../features/expected.ts'
import type { StoredDraft } from '../../features/policies/policy-store.ts'
import { done, type Result, refused } from '../../features/result.ts'
import type { ServiceRef } from '../../features/services/service-ref.ts'
import type { PolicyDraft } from '../../generated/prisma/client.ts'
import type { Database } from './database.ts'
import { findService, lockService } from './find.ts'
import { formatOf } from './policy-rows.ts'
import { transact } from './transact.ts'

const stored = (row: PolicyDraft): StoredDraft => ({
  document: row.document,
  format: formatOf(row.format),
  basedOn: row.basedOn,
  author: row.author,
  updatedAt: row.updatedAt.toISOString(),
  etag: row.etag,
})

export const draftOf = async ({ prisma }: Database, ref: ServiceRef): Promise<Result<StoredDraft>> => {
  const found = await findService(prisma, ref)
  if (!found.ok) return found
  const row = await prisma.policyDraft.findUnique({ where: { serviceId: found.value.id } })
  return row === null ? refused('not-found', 'There is no draft.') : done(stored(row))
}

export const putDraft = (
  database: Database,
  ref: ServiceRef,
  expected: Expected,
  draft: Omit<Draft, 'updatedAt'>,
): Promise<Result<StoredDraft>> =>
  transact(database, async (tx) => {
    const locked = await lockService(tx, ref)
    if (!locked.ok) return locked
    const serviceId = locked.value.id
    const present = await tx.policyDraft.findUnique({ where: { serviceId } })
    const held = checkExpected(expected, present?.etag ?? null, 'The draft')
    if (!held.ok) return held
    const data = { ...draft, etag: newTag(), updatedAt: new Date() }
    const row = await tx.policyDraft.upsert({ where: { serviceId }, create: { serviceId, ...data }, update: data })
    return done(stored(row))
  })

export const dropDraft = (database: Database, ref: ServiceRef, expected: Expected): Promise<Result<null>> =>
  transact(database, async (tx) => {
    const locked = await lockService(tx, ref)
    if (!locked.ok) return locked
    const serviceId = locked.value.id
    const present = await tx.policyDraft.findUnique({ where: { serviceId } })
    if (present === null) return refused('not-found', 'There is no draft.')
    const held = checkExpected(expected, present.etag, 'The draft')
    if (!held.ok) return held
    await tx.policyDraft.delete({ where: { serviceId } })
    return done(null)
  })

/** Random: a draft that was dropped and begun again never has the tag of the former one. */
const newTag = (): string => `"draft-${randomBytes(8).toString('hex')}"`
