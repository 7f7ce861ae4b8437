import { Injectable } from '@nestjs/common'
import { alertMatchersSchema, type Silence } from '@weir/api'
import {
  MOST_SILENCES,
  type SilenceEdit,
  type SilencePlace,
  SilenceStore,
} from '../../features/notifications/silences.ts'
import { type PageRequest, type Rows, rowsOf } from '../../features/paging.ts'
import { done, type Result, refused } from '../../features/result.ts'
import type { AlertSilence } from '../../generated/prisma/client.ts'
import { writeAudit } from './audit.ts'
import { Database } from './database.ts'
import { findEnvironment } from './find.ts'
import { transact } from './transact.ts'

@Injectable()
export class PrismaSilences extends SilenceStore {
  constructor(private readonly database: Database) {
    super()
  }

  override async list(
    environment: string,
    { after, limit }: PageRequest<SilencePlace>,
  ): Promise<Result<Rows<Silence>>> {
    const { prisma } = this.database
    const found = await findEnvironment(prisma, environment)
    if (!found.ok) return found
    const rows = await prisma.alertSilence.findMany({
      where: {
        environmentId: found.value.id,
        ...(after === null ? {} : { OR: [{ endsAt: { lt: after.to } }, { endsAt: after.to, id: { lt: after.id } }] }),
      },
      orderBy: [{ endsAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
    })
    return done(rowsOf(rows, limit, silenceOf))
  }

  override create(environment: string, { matchers, from, to, reason }: SilenceEdit, author: string) {
    return transact<Silence>(this.database, async (tx) => {
      const found = await findEnvironment(tx, environment)
      if (!found.ok) return found
      const now = new Date()
      const startsAt = from === undefined ? now : new Date(from)
      const endsAt = new Date(to)
      if (endsAt <= now)
        return refused('invalid', 'It is over already.', [{ path: 'to', message: 'It is over already.' }])
      const where = { environmentId: found.value.id, endsAt: { gt: now } }
      if ((await tx.alertSilence.count({ where })) >= MOST_SILENCES)
        return refused('conflict', `An environment has at most ${MOST_SILENCES} silences that are not over.`)
      const data = { environmentId: found.value.id, ...matchers, startsAt, endsAt, author, reason }
      const row = await tx.alertSilence.create({ data })
      const detail = { ...matchers, from: startsAt, to: endsAt, reason }
      await writeAudit(tx, { actor: author, action: 'silence.create', environment, target: row.id, detail })
      return done(silenceOf(row))
    })
  }

  override end(environment: string, id: string, actor: string) {
    return transact<Silence>(this.database, async (tx) => {
      const found = await findEnvironment(tx, environment)
      if (!found.ok) return found
      const row = await tx.alertSilence.findFirst({ where: { id, environmentId: found.value.id } })
      if (row === null) return refused('not-found', `There is no such silence in ${environment}.`)
      const now = new Date()
      if (row.endsAt <= now) return done(silenceOf(row))
      await writeAudit(tx, { actor, action: 'silence.end', environment, target: id })
      const startsAt = row.startsAt < now ? row.startsAt : now
      return done(silenceOf(await tx.alertSilence.update({ where: { id }, data: { endsAt: now, startsAt } })))
    })
  }
}

export const silenceOf = (row: AlertSilence): Silence => {
  const nowMs = Date.now()
  const { startsAt, endsAt } = row
  return {
    id: row.id,
    state: endsAt.getTime() <= nowMs ? 'ended' : startsAt.getTime() <= nowMs ? 'active' : 'planned',
    matchers: alertMatchersSchema.parse({ services: row.services, rules: row.rules, severities: row.severities }),
    from: startsAt.toISOString(),
    to: endsAt.toISOString(),
    author: row.author,
    reason: row.reason,
    createdAt: row.createdAt.toISOString(),
  }
}
