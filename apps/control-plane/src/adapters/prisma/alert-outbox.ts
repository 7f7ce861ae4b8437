import { Injectable } from '@nestjs/common'
import { type Alert, type AlertRulesDocument, alertRulesDocumentSchema, rulesOf } from '@weir/api'
import { AlertOutbox, DROPPED_AFTER_HOURS, type Due, MOST_AT_ONCE } from '../../features/notifications/outbox.ts'
import { targetOf } from './alert-receivers.ts'
import { alertOf, WITH_SERVICE } from './alert-row.ts'
import { Database } from './database.ts'

const MOST_ERROR = 500

/** Deliveries in PostgreSQL: one row a receiver and alert, with what is wanted and what was told. */
@Injectable()
export class PrismaAlertOutbox extends AlertOutbox {
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
      include: { environment: { select: { id: true, name: true } } },
    })
    if (receivers.length === 0) return []
    const documents = await this.#documents(receivers.map(({ environmentId }) => environmentId))
    const due: Due[] = []
    for (const { environment, ...row } of receivers) {
      const document = documents.get(environment.id) ?? BUILT_IN
      const withRunbook = (alert: Alert) => ({
        alert,
        runbook: rulesOf(document, alert.service)[alert.rule].runbook ?? null,
      })
      const isAgain = again(row.id)
      const waiting = await this.#alerts(row.id, 'waiting')
      const standing = isAgain && row.kind === 'alertmanager' ? await this.#alerts(row.id, 'standing') : []
      if (waiting.length + standing.length === 0 && !(isAgain && row.watchdog)) continue
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

  /** Marks what a silence holds back, and lets go of what was over before anybody was to hear of it, or is a day old. */
  async #hold(): Promise<void> {
    const { prisma } = this.database
    await prisma.$executeRaw`
      UPDATE alert_delivery d SET held = true FROM alert a JOIN service s ON s.id = a.service_id
      WHERE a.id = d.alert_id AND d.told IS NULL AND NOT d.held AND EXISTS (
        SELECT 1 FROM alert_silence x WHERE x.environment_id = s.environment_id AND x.starts_at <= now() AND x.ends_at > now()
          AND alert_meant(x.services, x.rules, x.severities, s.name, a.rule, a.severity))`
    await prisma.$executeRaw`DELETE FROM alert_delivery WHERE told IS NULL AND held AND want = 'resolved'`
    await prisma.$executeRaw`
      UPDATE alert_delivery d SET held = false FROM alert a JOIN service s ON s.id = a.service_id
      WHERE a.id = d.alert_id AND d.told IS NULL AND d.held AND NOT EXISTS (
        SELECT 1 FROM alert_silence x WHERE x.environment_id = s.environment_id AND x.starts_at <= now() AND x.ends_at > now()
          AND alert_meant(x.services, x.rules, x.severities, s.name, a.rule, a.severity))`
    await prisma.$executeRaw`
      WITH gone AS (DELETE FROM alert_delivery WHERE want IS DISTINCT FROM told AND NOT held
        AND created_at < now() - make_interval(hours => ${DROPPED_AFTER_HOURS}) AND (want = 'resolved' OR told IS NULL) RETURNING receiver_id)
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

  async #documents(environmentIds: readonly string[]): Promise<Map<string, AlertRulesDocument>> {
    const rows = await this.database.prisma.alertRules.findMany({
      where: { environmentId: { in: [...environmentIds] } },
      distinct: ['environmentId'],
      orderBy: [{ environmentId: 'asc' }, { version: 'desc' }],
    })
    return new Map(rows.map(({ environmentId, document }) => [environmentId, alertRulesDocumentSchema.parse(document)]))
  }
}

const BUILT_IN = alertRulesDocumentSchema.parse({})
