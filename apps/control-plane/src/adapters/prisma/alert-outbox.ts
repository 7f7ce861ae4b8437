import { Injectable } from '@nestjs/common'
import { type Alert, rulesOf } from '@weir/api'
import { AlertOutbox, DROPPED_AFTER_HOURS, type Due, MOST_AT_ONCE } from '../../features/notifications/outbox.ts'
import { SILENCED } from './alert-deliveries.ts'
import { AlertDocuments } from './alert-documents.ts'
import { targetOf } from './alert-receivers.ts'
import { alertOf, WITH_SERVICE } from './alert-row.ts'
import { Database } from './database.ts'

const MOST_ERROR = 500

/** Deliveries in PostgreSQL: one row a receiver and alert, with what is wanted and what was told. */
@Injectable()
export class PrismaAlertOutbox extends AlertOutbox {
  readonly #documents = new AlertDocuments()

  constructor(private readonly database: Database) {
    super()
  }

  override async due(again: (receiverId: string) => boolean): Promise<readonly Due[]> {
    const { prisma } = this.database
    await this.#hold()
    const receivers = await prisma.alertReceiver.findMany({
      where: {
        nextAttemptAt: { lte: await this.#now() },
        OR: [
          { watchdog: true },
          { deliveries: { some: { told: null } } },
          { deliveries: { some: { want: 'resolved' } } },
          { kind: 'alertmanager' },
        ],
      },
      include: { environment: { select: { name: true } } },
    })
    const due: Due[] = []
    for (const { environment, ...row } of receivers) {
      const isAgain = again(row.id)
      const waiting = await this.#alerts(row.id, 'waiting')
      const standing = isAgain && row.kind === 'alertmanager' ? await this.#alerts(row.id, 'standing') : []
      if (waiting.length + standing.length === 0 && !(isAgain && row.watchdog)) continue
      const document = (await this.#documents.read(this.database))(row.environmentId)
      const withRunbook = (alert: Alert) => ({
        alert,
        runbook: rulesOf(document, alert.service)[alert.rule].runbook ?? null,
      })
      due.push({
        target: targetOf(row),
        environment: environment.name,
        watchdog: row.watchdog,
        attempts: row.attempts,
        alerts: waiting.map(withRunbook),
        standing: standing.map(withRunbook),
      })
    }
    return due
  }

  override async told(receiverId: string, alerts: readonly Pick<Alert, 'id' | 'state'>[]): Promise<void> {
    const ids = (state: Alert['state']) => alerts.filter((alert) => alert.state === state).map(({ id }) => id)
    await this.database.prisma.$transaction(async (tx) => {
      await tx.alertDelivery.updateMany({
        where: { receiverId, alertId: { in: ids('firing') } },
        data: { told: 'firing' },
      })
      await tx.alertDelivery.deleteMany({ where: { receiverId, alertId: { in: ids('resolved') } } })
      await tx.$executeRaw`UPDATE alert_receiver SET attempts = 0, delivered_at = now(), next_attempt_at = now() WHERE id = ${receiverId}::uuid`
    })
  }

  override async failed(receiverId: string, detail: string, againAfterMs: number): Promise<void> {
    await this.database.prisma.$executeRaw`
      UPDATE alert_receiver SET attempts = attempts + 1, error = ${detail.slice(0, MOST_ERROR)}, failed_at = now(),
        next_attempt_at = now() + make_interval(secs => ${againAfterMs / 1_000})
      WHERE id = ${receiverId}::uuid`
  }

  /** Lets go of what was over while a silence held it back, marks what one holds back now, and drops what has waited for a day. */
  async #hold(): Promise<void> {
    const { prisma } = this.database
    await prisma.$executeRaw`DELETE FROM alert_delivery WHERE told IS NULL AND held AND want = 'resolved'`
    await prisma.$executeRaw`
      UPDATE alert_delivery d SET held = NOT d.held, created_at = now() FROM alert a JOIN service s ON s.id = a.service_id
      WHERE a.id = d.alert_id AND d.told IS NULL AND d.held <> ${SILENCED}`
    await prisma.$executeRaw`
      WITH gone AS (DELETE FROM alert_delivery WHERE want IS DISTINCT FROM told AND NOT held
        AND created_at < now() - make_interval(hours => ${DROPPED_AFTER_HOURS}) RETURNING receiver_id)
      UPDATE alert_receiver r SET dropped = dropped + c.n FROM (SELECT receiver_id, count(*)::int AS n FROM gone GROUP BY 1) c WHERE r.id = c.receiver_id`
  }

  async #now(): Promise<Date> {
    const [row] = await this.database.prisma.$queryRaw<{ now: Date }[]>`SELECT now() AS now`
    return row?.now ?? new Date()
  }

  async #alerts(receiverId: string, which: 'waiting' | 'standing'): Promise<Alert[]> {
    const rows = await this.database.prisma.alertDelivery.findMany({
      where: {
        receiverId,
        held: false,
        ...(which === 'standing'
          ? { told: 'firing', want: 'firing' }
          : { OR: [{ told: null }, { told: 'firing', want: 'resolved' }] }),
      },
      orderBy: { createdAt: 'asc' },
      take: which === 'waiting' ? MOST_AT_ONCE : 10 * MOST_AT_ONCE,
      include: { alert: { include: WITH_SERVICE } },
    })
    return rows.map(({ alert }) => alertOf(alert))
  }
}
