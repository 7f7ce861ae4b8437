import { Injectable } from '@nestjs/common'
import type { Alert } from '@weir/api'
import {
  AlertBook,
  type AlertFilter,
  type AlertPlace,
  type FiringAlert,
  type WatchedService,
} from '../../features/alerts/alert-book.ts'
import { type PageRequest, type Rows, rowsOf } from '../../features/paging.ts'
import { Prisma, type Alert as Stored } from '../../generated/prisma/client.ts'
import { Database } from './database.ts'

const RULE = 'sustained-shedding'
const WITH_SERVICE = { service: { select: { name: true } } } as const

const alertOf = (row: Stored & { service: { name: string } }): Alert => ({
  id: row.id,
  service: row.service.name,
  rule: RULE,
  state: row.state === 'firing' ? 'firing' : 'resolved',
  share: row.share,
  peakShare: row.peakShare,
  threshold: row.threshold,
  forSeconds: row.forSeconds,
  raisedAt: row.raisedAt.toISOString(),
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
})

/** Alerts in PostgreSQL. A unique index lets one of a service and rule fire at a time. */
@Injectable()
export class PrismaAlertBook extends AlertBook {
  constructor(private readonly database: Database) {
    super()
  }

  override async watched(): Promise<WatchedService[]> {
    const rows = await this.database.prisma.service.findMany({ include: { environment: { select: { name: true } } } })
    return rows.map(({ id, name, environment, alertShare, alertForSeconds }) => ({
      serviceId: id,
      environment: environment.name,
      service: name,
      rule: { share: alertShare, forSeconds: alertForSeconds },
    }))
  }

  override async firing(): Promise<FiringAlert[]> {
    const rows = await this.database.prisma.alert.findMany({ where: { state: 'firing' }, include: WITH_SERVICE })
    return rows.map((row) => ({ serviceId: row.serviceId, alert: alertOf(row) }))
  }

  override async raise({ serviceId, rule }: WatchedService, share: number, at: Date): Promise<Alert> {
    const { alert } = this.database.prisma
    try {
      const row = await alert.create({
        data: {
          serviceId,
          rule: RULE,
          state: 'firing',
          share,
          peakShare: share,
          threshold: rule.share,
          forSeconds: rule.forSeconds,
          raisedAt: at,
        },
        include: WITH_SERVICE,
      })
      return alertOf(row)
    } catch (error) {
      if (!(error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')) throw error
      const where = { serviceId, rule: RULE, state: 'firing' }
      return alertOf(await alert.findFirstOrThrow({ where, include: WITH_SERVICE }))
    }
  }

  override async peak(alertId: string, peakShare: number): Promise<Alert | null> {
    return this.#change(alertId, { peakShare })
  }

  override async resolve(alertId: string, at: Date): Promise<Alert | null> {
    return this.#change(alertId, { state: 'resolved', resolvedAt: at })
  }

  async #change(id: string, data: Prisma.AlertUncheckedUpdateManyInput): Promise<Alert | null> {
    const { alert } = this.database.prisma
    const { count } = await alert.updateMany({ where: { id, state: 'firing' }, data })
    if (count === 0) return null
    const row = await alert.findUnique({ where: { id }, include: WITH_SERVICE })
    return row === null ? null : alertOf(row)
  }

  override async list(
    { environment, service, state }: AlertFilter,
    { after, limit }: PageRequest<AlertPlace>,
  ): Promise<Rows<Alert>> {
    const rows = await this.database.prisma.alert.findMany({
      where: {
        service: { environment: { name: environment }, ...(service === undefined ? {} : { name: service }) },
        ...(state === undefined ? {} : { state }),
        ...(after === null
          ? {}
          : { OR: [{ raisedAt: { lt: after.raisedAt } }, { raisedAt: after.raisedAt, id: { lt: after.id } }] }),
      },
      orderBy: [{ raisedAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
      include: WITH_SERVICE,
    })
    return rowsOf(rows, limit, alertOf)
  }
}
