import { Injectable } from '@nestjs/common'
import { alertMatchersSchema, RECEIVER_KINDS, type Receiver, type TestedReceiver } from '@weir/api'
import { z } from 'zod'
import { checkExpected, type Expected } from '../../features/expected.ts'
import type { Target } from '../../features/notifications/courier.ts'
import {
  MOST_RECEIVERS,
  type ReceiverEdit,
  ReceiverStore,
  receiverTag,
} from '../../features/notifications/receivers.ts'
import { done, type Result, refused } from '../../features/result.ts'
import { type AlertReceiver, Prisma } from '../../generated/prisma/client.ts'
import { noteFiring } from './alert-deliveries.ts'
import { writeAudit } from './audit.ts'
import { Database, type Transaction } from './database.ts'
import { findEnvironment } from './find.ts'
import { transact } from './transact.ts'

@Injectable()
export class PrismaReceivers extends ReceiverStore {
  constructor(private readonly database: Database) {
    super()
  }

  override async list(environment: string): Promise<Result<readonly Receiver[]>> {
    const { prisma } = this.database
    const found = await findEnvironment(prisma, environment)
    if (!found.ok) return found
    const rows = await prisma.alertReceiver.findMany({
      where: { environmentId: found.value.id },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    })
    return done(await withWaiting(prisma, rows))
  }

  override async get(environment: string, id: string): Promise<Result<Receiver>> {
    const row = await find(this.database.prisma, environment, id)
    return row.ok ? done((await withWaiting(this.database.prisma, [row.value]))[0] as Receiver) : row
  }

  override create(environment: string, edit: ReceiverEdit, secret: string | null, actor: string) {
    return transact<Receiver>(this.database, async (tx) => {
      const found = await findEnvironment(tx, environment)
      if (!found.ok) return found
      const { id: environmentId } = found.value
      if ((await tx.alertReceiver.count({ where: { environmentId } })) >= MOST_RECEIVERS)
        return refused('conflict', `An environment has at most ${MOST_RECEIVERS} receivers.`)
      const row = await tx.alertReceiver.create({
        data: {
          environmentId,
          createdBy: actor,
          ...dataOf(edit),
          secret: edit.kind === 'slack' ? (edit.url ?? null) : secret,
        },
      })
      await writeAudit(tx, { actor, action: 'receiver.create', environment, target: row.name, detail: shownOf(row) })
      await noteFiring(tx, Prisma.sql`r.id = ${row.id}::uuid`)
      return done((await withWaiting(tx, [row]))[0] as Receiver)
    })
  }

  override put(environment: string, id: string, edit: ReceiverEdit, expected: Expected, actor: string) {
    return transact<Receiver>(this.database, async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM alert_receiver WHERE id = ${id}::uuid FOR UPDATE`
      const found = await find(tx, environment, id)
      if (!found.ok) return found
      const before = found.value
      const held = checkExpected(expected, receiverTag(before.version), 'The receiver')
      if (!held.ok) return held
      if (before.kind !== edit.kind)
        return refused('conflict', `It is a receiver of the kind ${before.kind}: make a new one.`)
      const secret = edit.kind === 'slack' ? edit.url : edit.kind === 'email' ? undefined : edit.secret
      const row = await tx.alertReceiver.update({
        where: { id },
        data: {
          ...dataOf(edit),
          ...(secret === undefined ? {} : { secret }),
          ...(edit.kind === 'slack' && edit.url === undefined ? { url: before.url } : {}),
          version: before.version + 1,
          // What failed before may work now.
          attempts: 0,
          nextAttemptAt: new Date(0),
        },
      })
      const detail = { ...shownOf(row), newSecret: secret !== undefined }
      await writeAudit(tx, { actor, action: 'receiver.set', environment, target: row.name, detail })
      await noteFiring(tx, Prisma.sql`r.id = ${row.id}::uuid`)
      return done((await withWaiting(tx, [row]))[0] as Receiver)
    })
  }

  override remove(environment: string, id: string, actor: string): Promise<Result<null>> {
    return transact<null>(this.database, async (tx) => {
      const found = await find(tx, environment, id)
      if (!found.ok) return found
      await tx.alertReceiver.delete({ where: { id } })
      await writeAudit(tx, { actor, action: 'receiver.remove', environment, target: found.value.name })
      return done(null)
    })
  }

  override async target(environment: string, id: string): Promise<Result<Target>> {
    const row = await find(this.database.prisma, environment, id)
    return row.ok ? done(targetOf(row.value)) : row
  }

  override async tested(environment: string, id: string, actor: string, result: TestedReceiver): Promise<void> {
    await this.database.prisma.$transaction(async (tx) => {
      const row = await find(tx, environment, id)
      const target = row.ok ? row.value.name : id
      await writeAudit(tx, { actor, action: 'receiver.test', environment, target, detail: { ...result } })
    })
  }
}

const kindSchema = z.enum(RECEIVER_KINDS)

/** Slack's address is its secret. */
export const targetOf = (row: AlertReceiver): Target => ({
  id: row.id,
  kind: kindSchema.parse(row.kind),
  url: row.kind === 'slack' ? row.secret : row.url,
  to: row.to,
  secret: row.kind === 'slack' ? null : row.secret,
})

const dataOf = (edit: ReceiverEdit) => ({
  name: edit.name,
  kind: edit.kind,
  ...edit.matchers,
  url: 'url' in edit && edit.url !== undefined ? (edit.kind === 'slack' ? new URL(edit.url).host : edit.url) : null,
  to: edit.kind === 'email' ? edit.to : [],
  watchdog: 'watchdog' in edit && edit.watchdog,
})

const shownOf = ({ kind, url, to, watchdog, services, rules, severities }: AlertReceiver) => ({
  kind,
  url,
  to: to.join(', '),
  watchdog,
  services: services.join(', '),
  rules: rules.join(', '),
  severities: severities.join(', '),
})

const find = async (db: Transaction, environment: string, id: string): Promise<Result<AlertReceiver>> => {
  const found = await findEnvironment(db, environment)
  if (!found.ok) return found
  const row = await db.alertReceiver.findFirst({ where: { id, environmentId: found.value.id } })
  return row === null ? refused('not-found', `There is no such receiver in ${environment}.`) : done(row)
}

const withWaiting = async (db: Transaction, rows: readonly AlertReceiver[]): Promise<Receiver[]> => {
  const counts = await db.$queryRaw<{ id: string; waiting: number }[]>`
    SELECT receiver_id AS id, count(*)::int AS waiting FROM alert_delivery
    WHERE want IS DISTINCT FROM told AND receiver_id = ANY(${rows.map(({ id }) => id)}::uuid[]) GROUP BY 1`
  return rows.map((row) => receiverOf(row, counts.find(({ id }) => id === row.id)?.waiting ?? 0))
}

const receiverOf = (row: AlertReceiver, waiting: number): Receiver => ({
  id: row.id,
  version: row.version,
  name: row.name,
  kind: kindSchema.parse(row.kind),
  url: row.url,
  to: row.to,
  hasSecret: row.secret !== null,
  watchdog: row.watchdog,
  matchers: alertMatchersSchema.parse({ services: row.services, rules: row.rules, severities: row.severities }),
  delivery: {
    deliveredAt: row.deliveredAt?.toISOString() ?? null,
    error: row.attempts > 0 ? row.error : null,
    failedAt: row.attempts > 0 ? (row.failedAt?.toISOString() ?? null) : null,
    attempts: row.attempts,
    nextAttemptAt: row.attempts > 0 ? row.nextAttemptAt.toISOString() : null,
    waiting,
    dropped: row.dropped,
  },
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
})
