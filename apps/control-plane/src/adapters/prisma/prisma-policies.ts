import { Injectable } from '@nestjs/common'
import type { PolicyVersion } from '@weir/api'
import { canonical } from '@weir/policy/model'
import { checkExpected } from '../../features/expected.ts'
import { type PageRequest, type Rows, rowsOf } from '../../features/paging.ts'
import {
  type Committed,
  PolicyStore,
  type Publication,
  policyTag,
  type StoredVersion,
} from '../../features/policies/policy-store.ts'
import { done, type Result, refused } from '../../features/result.ts'
import type { ServiceRef } from '../../features/services/service-ref.ts'
import { writeAudit } from './audit.ts'
import { Database } from './database.ts'
import { draftOf, dropDraft, putDraft } from './drafts.ts'
import { findService, lockService } from './find.ts'
import { storedVersion, versionOf } from './policy-rows.ts'
import { refusedByLiveAgents } from './presence.ts'
import { revise } from './revise.ts'
import { transact } from './transact.ts'

@Injectable()
export class PrismaPolicies extends PolicyStore {
  constructor(private readonly database: Database) {
    super()
  }

  override publish(ref: ServiceRef, publication: Publication): Promise<Result<Committed>> {
    const { document, format, policy, expected, author, reason, rolledBackTo } = publication
    return transact(this.database, async (tx) => {
      const locked = await lockService(tx, ref)
      if (!locked.ok) return locked
      const service = locked.value
      const held = checkExpected(expected, policyTag(service.policyVersion), 'The policy')
      if (!held.ok) return held
      const version = service.policyVersion + 1
      const revised = await revise(tx, ref, service, { policy, policyVersion: version, version, author, reason })
      if (!revised.ok) return revised
      const { revision } = revised.value
      await tx.policyVersion.create({
        data: {
          serviceId: service.id,
          version,
          revision,
          document,
          format,
          policy: canonical(policy),
          author,
          reason,
          rolledBackTo,
        },
      })
      await writeAudit(tx, {
        ...ref,
        actor: author,
        action: rolledBackTo === null ? 'policy.publish' : 'policy.roll-back',
        target: String(version),
        detail: { revision, reason, rolledBackTo },
      })
      return revised
    })
  }

  override async current(ref: ServiceRef): Promise<Result<{ version: number; published: StoredVersion | null }>> {
    const { prisma } = this.database
    const found = await findService(prisma, ref)
    if (!found.ok) return found
    const row = await prisma.policyVersion.findFirst({
      where: { serviceId: found.value.id },
      orderBy: { version: 'desc' },
    })
    return done({ version: row?.version ?? 0, published: row === null ? null : storedVersion(row) })
  }

  override async version(ref: ServiceRef, version: number): Promise<Result<StoredVersion>> {
    const row = await this.database.prisma.policyVersion.findFirst({
      where: { version, service: { name: ref.service, environment: { name: ref.environment } } },
    })
    return row === null
      ? refused('not-found', `There is no version ${version} of this policy.`)
      : done(storedVersion(row))
  }

  override async versions(ref: ServiceRef, page: PageRequest<number>): Promise<Result<Rows<PolicyVersion>>> {
    const { prisma } = this.database
    const found = await findService(prisma, ref)
    if (!found.ok) return found
    const rows = await prisma.policyVersion.findMany({
      where: { serviceId: found.value.id, ...(page.after === null ? {} : { version: { lt: page.after } }) },
      orderBy: { version: 'desc' },
      take: page.limit + 1,
    })
    return done(rowsOf(rows, page.limit, versionOf))
  }

  override draft(ref: ServiceRef) {
    return draftOf(this.database, ref)
  }

  override putDraft(...args: Parameters<PolicyStore['putDraft']>) {
    return putDraft(this.database, ...args)
  }

  override dropDraft(...args: Parameters<PolicyStore['dropDraft']>) {
    return dropDraft(this.database, ...args)
  }

  override async refusedPaths(ref: ServiceRef): Promise<Result<readonly (readonly string[])[]>> {
    const found = await findService(this.database.prisma, ref)
    return found.ok ? done(await refusedByLiveAgents(this.database, found.value.id)) : found
  }
}
