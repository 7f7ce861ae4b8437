import { Injectable } from '@nestjs/common'
import type { QuotaRow } from '@weir/api'
import type { Quota } from '@weir/policy/model'
import { checkExpected } from '../../features/expected.ts'
import { type PageRequest, type Rows, rowsOf } from '../../features/paging.ts'
import type { Committed } from '../../features/policies/policy-store.ts'
import { done, type Result, refused } from '../../features/result.ts'
import type { ServiceRef } from '../../features/services/service-ref.ts'
import {
  type QuotaKey,
  type QuotaRef,
  QuotaStore,
  type QuotaWrite,
  quotaTag,
} from '../../features/tenants/quota-store.ts'
import type { Quota as Row, Service } from '../../generated/prisma/client.ts'
import { writeAudit } from './audit.ts'
import { Database, type Transaction } from './database.ts'
import { findService, lockService } from './find.ts'
import { policyInForce, revise } from './revise.ts'
import { transact } from './transact.ts'

@Injectable()
export class PrismaQuotas extends QuotaStore {
  constructor(private readonly database: Database) {
    super()
  }

  override async list(
    ref: ServiceRef,
    { after, limit, search }: PageRequest<QuotaKey>,
  ): Promise<Result<Rows<QuotaRow>>> {
    const { prisma } = this.database
    const found = await findService(prisma, ref)
    if (!found.ok) return found
    const rows = await prisma.quota.findMany({
      where: {
        serviceId: found.value.id,
        AND: [
          after === null
            ? {}
            : {
                OR: [{ resource: { gt: after.resource } }, { resource: after.resource, tenant: { gt: after.tenant } }],
              },
          search
            ? { OR: [{ tenant: { contains: search, mode: 'insensitive' } }, { resource: { contains: search } }] }
            : {},
        ],
      },
      orderBy: [{ resource: 'asc' }, { tenant: 'asc' }],
      take: limit + 1,
    })
    return done(rowsOf(rows, limit, rowOf))
  }

  override async get({ resource, tenant, ...ref }: QuotaRef): Promise<Result<QuotaRow>> {
    const { prisma } = this.database
    const found = await findService(prisma, ref)
    if (!found.ok) return found
    const row = await prisma.quota.findUnique({ where: keyOf(found.value, { resource, tenant }) })
    return row === null ? NO_QUOTA : done(rowOf(row))
  }

  override put(ref: QuotaRef, quota: Quota, { expected, author, reason }: QuotaWrite): Promise<Result<Committed>> {
    return transact(this.database, async (tx) => {
      const locked = await this.#lock(tx, ref)
      if (!locked.ok) return locked
      const { service, present, key } = locked.value
      const held = checkExpected(expected, present === null ? null : quotaTag(present.version), 'The quota')
      if (!held.ok) return held
      const version = await nextVersion(tx, service)
      const { rate, burst, concurrency, weight } = quota
      const data = { rate, burst, concurrency, weight, version, updatedBy: author, updatedAt: new Date() }
      const { serviceId_resource_tenant: id } = key
      await tx.quota.upsert({ where: key, create: { ...id, ...data }, update: data })
      const former = limitsOf(present)
      return this.#finish(tx, ref, service, version, { author, reason, action: 'quota.set', former, ...quota })
    })
  }

  override remove(ref: QuotaRef, { expected, author, reason }: QuotaWrite): Promise<Result<Committed>> {
    return transact(this.database, async (tx) => {
      const locked = await this.#lock(tx, ref)
      if (!locked.ok) return locked
      const { service, present, key } = locked.value
      if (present === null) return NO_QUOTA
      const held = checkExpected(expected, quotaTag(present.version), 'The quota')
      if (!held.ok) return held
      const version = await nextVersion(tx, service)
      await tx.quota.delete({ where: key })
      const former = limitsOf(present)
      return this.#finish(tx, ref, service, version, { author, reason, action: 'quota.remove', former })
    })
  }

  async #lock(tx: Transaction, ref: QuotaRef) {
    const locked = await lockService(tx, ref)
    if (!locked.ok) return locked
    const key = keyOf(locked.value, ref)
    return done({ service: locked.value, key, present: await tx.quota.findUnique({ where: key }) })
  }

  async #finish(
    tx: Transaction,
    { resource, tenant, environment, service: name }: QuotaRef,
    service: Service,
    version: number,
    { author, reason, action, former, ...quota }: Told & Partial<Quota>,
  ): Promise<Result<Committed>> {
    const ref = { environment, service: name }
    const { policyVersion } = service
    const policy = await policyInForce(tx, service)
    const revised = await revise(tx, ref, service, { policy, policyVersion, version, author, reason })
    if (!revised.ok) return revised
    const { revision } = revised.value
    const target = `${resource}/${tenant}`
    await writeAudit(tx, { ...ref, actor: author, action, target, detail: { revision, reason, ...quota, former } })
    return revised
  }
}

/** What the audit tells of a write. `former`: what it took the place of; leases of that may still run. */
interface Told {
  readonly author: string
  readonly reason: string
  readonly action: string
  readonly former: Pick<Quota, 'rate' | 'concurrency'> | null
}

const limitsOf = (row: Row | null): Told['former'] =>
  row === null ? null : { rate: row.rate, concurrency: row.concurrency }

const NO_QUOTA = refused('not-found', 'This tenant has no quota of its own for this resource.')

const keyOf = ({ id }: Service, { resource, tenant }: QuotaKey) => ({
  serviceId_resource_tenant: { serviceId: id, resource, tenant },
})

const nextVersion = async (tx: Transaction, { id }: Service): Promise<number> => {
  const { quotaSequence } = await tx.service.update({ where: { id }, data: { quotaSequence: { increment: 1 } } })
  return quotaSequence
}

const rowOf = ({
  resource,
  tenant,
  rate,
  burst,
  concurrency,
  weight,
  version,
  updatedBy,
  updatedAt,
}: Row): QuotaRow => ({
  resource,
  tenant,
  rate,
  burst,
  concurrency,
  weight,
  version,
  updatedBy,
  updatedAt: updatedAt.toISOString(),
})
