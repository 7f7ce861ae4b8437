import { Injectable } from '@nestjs/common'
import { type AlertRulesState, alertRulesDocumentSchema } from '@weir/api'
import { AlertRulesStore, type RulesEdit, rulesTag } from '../../features/alerts/rules-store.ts'
import { checkExpected } from '../../features/expected.ts'
import { done, type Result, refused } from '../../features/result.ts'
import type { AlertRules, Prisma } from '../../generated/prisma/client.ts'
import { writeAudit } from './audit.ts'
import { Database, type Transaction } from './database.ts'
import { findEnvironment } from './find.ts'
import { transact } from './transact.ts'

@Injectable()
export class PrismaAlertRules extends AlertRulesStore {
  constructor(private readonly database: Database) {
    super()
  }

  override async get(environment: string): Promise<Result<AlertRulesState>> {
    const found = await findEnvironment(this.database.prisma, environment)
    return found.ok ? done(stateOf(await newest(this.database.prisma, found.value.id))) : found
  }

  override put(
    environment: string,
    { document, expected, author, reason }: RulesEdit,
  ): Promise<Result<AlertRulesState>> {
    return transact(this.database, async (tx) => {
      const found = await findEnvironment(tx, environment)
      if (!found.ok) return found
      const { id: environmentId } = found.value
      // Writers of one environment go one after the other.
      await tx.$queryRaw`SELECT 1 FROM environment WHERE id = ${environmentId}::uuid FOR UPDATE`
      const version = (await newest(tx, environmentId))?.version ?? 0
      const held = checkExpected(expected, rulesTag(version), 'The alert rules')
      if (!held.ok) return held
      const unknown = await unknownServices(tx, environmentId, Object.keys(document.services))
      if (unknown.length > 0)
        return refused(
          'invalid',
          'Rules for services that are not there.',
          unknown.map((name) => ({ path: `document.services.${name}`, message: `There is no service ${name}.` })),
        )
      await writeAudit(tx, {
        actor: author,
        action: 'alert-rules.set',
        environment,
        detail: { version: version + 1, reason },
      })
      const data = {
        environmentId,
        version: version + 1,
        document: document as unknown as Prisma.InputJsonObject,
        author,
        reason,
      }
      return done(stateOf(await tx.alertRules.create({ data })))
    })
  }
}

const newest = (db: Transaction, environmentId: string): Promise<AlertRules | null> =>
  db.alertRules.findFirst({ where: { environmentId }, orderBy: { version: 'desc' } })

const unknownServices = async (tx: Transaction, environmentId: string, names: readonly string[]): Promise<string[]> => {
  const there = await tx.service.findMany({
    where: { environmentId, name: { in: [...names] } },
    select: { name: true },
  })
  return names.filter((name) => !there.some((service) => service.name === name))
}

const stateOf = (row: AlertRules | null): AlertRulesState => ({
  version: row?.version ?? 0,
  document: alertRulesDocumentSchema.parse(row?.document ?? {}),
  author: row?.author ?? null,
  reason: row?.reason ?? null,
  updatedAt: row?.createdAt.toISOString() ?? null,
})
