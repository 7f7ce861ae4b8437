import type { Audit, Page, PageQuery } from '@weir/api'
import { type AuditEntry, AuditLog, REFUSALS_KEPT_DAYS } from '../../features/audit/audit-log.ts'
import { done, type Result, refused } from '../../features/result.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Database, Transaction } from './database.ts'

/** Writes an entry within the transaction of the change that it tells. */
export const writeAudit = async (transaction: Transaction, entry: AuditEntry): Promise<void> => {
  await transaction.audit.create({ data: dataOf(entry) })
}

const dataOf = ({ actor, action, environment, service, target, detail }: AuditEntry) => ({
  actor,
  action,
  environment: environment ?? null,
  service: service ?? null,
  target: target ?? null,
  // Through JSON, as the column keeps it: `undefined` and dates become what a reader will see.
  detail: JSON.parse(JSON.stringify(detail ?? {})) as Prisma.InputJsonObject,
})

const CURSOR = /^[1-9]\d{0,17}$/

export class PrismaAuditLog extends AuditLog {
  readonly #database: Database

  constructor(database: Database) {
    super()
    this.#database = database
  }

  override async write(entry: AuditEntry): Promise<void> {
    await this.#database.prisma.audit.create({ data: dataOf(entry) })
  }

  override async page({ cursor, limit, search }: PageQuery): Promise<Result<Page<Audit>>> {
    if (cursor !== undefined && !CURSOR.test(cursor)) return refused('invalid', 'The cursor is not one of ours.')
    const contains = search === undefined ? undefined : { contains: search, mode: 'insensitive' as const }
    const rows = await this.#database.prisma.audit.findMany({
      where: {
        ...(cursor === undefined ? {} : { id: { lt: BigInt(cursor) } }),
        ...(contains === undefined ? {} : { OR: SEARCHED.map((column) => ({ [column]: contains })) }),
      },
      orderBy: { id: 'desc' },
      take: limit + 1,
    })
    const items = rows.slice(0, limit)
    return done({ items: items.map(auditOf), next: rows.length > limit ? String(items.at(-1)?.id) : null })
  }

  override forgetOldRefusals(): Promise<number> {
    return this.#database.prisma.$executeRaw`
      DELETE FROM audit WHERE action LIKE 'refused.%' AND at < now() - make_interval(days => ${REFUSALS_KEPT_DAYS})`
  }
}

const SEARCHED = ['actor', 'action', 'target', 'environment', 'service'] as const

const auditOf = (row: Prisma.AuditModel): Audit => ({
  id: String(row.id),
  at: row.at.toISOString(),
  actor: row.actor,
  action: row.action,
  environment: row.environment,
  service: row.service,
  target: row.target,
  detail: row.detail !== null && typeof row.detail === 'object' && !Array.isArray(row.detail) ? { ...row.detail } : {},
})
