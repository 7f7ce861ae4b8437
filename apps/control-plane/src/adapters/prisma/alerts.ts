import { Injectable } from '@nestjs/common'
import { type Alert, rulesOf } from '@weir/api'
import {
  type AgentPatience,
  AlertBook,
  type AlertChange,
  type AlertFilter,
  type AlertPlace,
  Deposed,
  type FiringAlert,
  KEPT_DAYS,
  type WatchedService,
} from '../../features/alerts/alert-book.ts'
import type { AgentCounts } from '../../features/alerts/other-rules.ts'
import { matches } from '../../features/notifications/matching.ts'
import { OFF_SECONDS } from '../../features/outcomes/flaw-store.ts'
import { type PageRequest, type Rows, rowsOf } from '../../features/paging.ts'
import { writeChanges } from './alert-changes.ts'
import { AlertDocuments } from './alert-documents.ts'
import { alertOf, WITH_SERVICE } from './alert-row.ts'
import { silenceOf } from './alert-silences.ts'
import { Database } from './database.ts'
import { LIVE_SECONDS } from './presence.ts'

/** A round of a thousand services that all change. */
const TIMEOUT_MS = 30_000

const NO_AGENTS = { known: 0, lost: 0, unanswered: 0, refused: 0 }

/** Alerts in PostgreSQL. A unique index lets one of a service, rule and subject fire at a time. */
@Injectable()
export class PrismaAlertBook extends AlertBook {
  readonly #documents = new AlertDocuments()

  constructor(private readonly database: Database) {
    super()
  }

  override async watched(): Promise<readonly WatchedService[]> {
    const [services, documentOf] = await Promise.all([
      this.database.prisma.service.findMany({ include: { environment: { select: { name: true } } } }),
      this.#documents.read(this.database),
    ])
    return services.map(({ id, name, hash, environmentId, environment }) => ({
      serviceId: id,
      environment: environment.name,
      service: name,
      hash,
      rules: rulesOf(documentOf(environmentId), name),
    }))
  }

  override async firing(): Promise<readonly FiringAlert[]> {
    const rows = await this.database.prisma.alert.findMany({ where: { state: 'firing' }, include: WITH_SERVICE })
    return rows.map((row) => {
      const alert = alertOf(row)
      return { key: { serviceId: row.serviceId, rule: alert.rule, subject: alert.subject }, alert }
    })
  }

  override async agents(patience: readonly AgentPatience[]): Promise<ReadonlyMap<string, AgentCounts>> {
    const column = <T>(of: (each: AgentPatience) => T) => patience.map(of)
    const off = await this.#off(patience)
    const rows = await this.database.prisma.$queryRaw<({ id: string } & Omit<AgentCounts, 'off'>)[]>`
      SELECT s.id, count(*)::int AS known,
        count(*) FILTER (WHERE a.last_heard_at < now() - make_interval(secs => ${LIVE_SECONDS} + p.stale))::int AS lost,
        count(*) FILTER (WHERE live AND NOT answered AND since < now() - make_interval(secs => p.stale))::int AS unanswered,
        count(*) FILTER (WHERE live AND answered AND a.receipt_status <> 'applied' AND since < now() - make_interval(secs => p.refused))::int AS refused
      FROM unnest(${column(({ serviceId }) => serviceId)}::uuid[], ${column(({ staleSeconds }) => staleSeconds)}::float8[],
        ${column(({ refusedSeconds }) => refusedSeconds)}::float8[]) AS p (id, stale, refused)
      JOIN service s ON s.id = p.id JOIN agent a ON a.service_id = s.id
      CROSS JOIN LATERAL (SELECT
        a.last_heard_at > now() - make_interval(secs => ${LIVE_SECONDS}) AS live,
        s.revision = 0 OR coalesce(a.receipt_revision = s.revision, false) AS answered,
        greatest(a.first_heard_at, coalesce(s.published_at, a.first_heard_at)) AS since) r
      WHERE a.ended_at IS NULL GROUP BY s.id`
    const counted = new Map(rows.map(({ id, ...counts }) => [id, counts]))
    // A service that nobody was heard of is told too: what was wrong with its agents is over.
    return new Map(
      patience.map(({ serviceId }) => [
        serviceId,
        { ...(counted.get(serviceId) ?? NO_AGENTS), off: off.get(serviceId) ?? [] },
      ]),
    )
  }

  /** Instances whose books have been off for as long as the rules say, with the gates, by service. */
  async #off(patience: readonly AgentPatience[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.database.prisma.$queryRaw<{ id: string; off: string[] }[]>`
      SELECT id, array_agg(instance || ' (' || gates || ')' ORDER BY instance) AS off FROM (
        SELECT p.id, f.instance, string_agg(DISTINCT f.gate, ', ') AS gates
        FROM unnest(${patience.map(({ serviceId }) => serviceId)}::uuid[], ${patience.map(({ offSeconds }) => offSeconds)}::float8[]) AS p (id, secs)
        JOIN book_flaw f ON f.service_id = p.id AND f.last_at > now() - make_interval(secs => ${OFF_SECONDS})
          AND f.last_at - f.since >= make_interval(secs => p.secs)
        GROUP BY p.id, f.instance) i GROUP BY id`
    return new Map(rows.map(({ id, off }) => [id, off]))
  }

  override record(token: bigint, changes: readonly AlertChange[]) {
    return this.database.prisma.$transaction(
      async (tx) => {
        const terms = await tx.$queryRaw<unknown[]>`SELECT 1 FROM alert_leader WHERE token = ${token} FOR SHARE`
        if (terms.length === 0) throw new Deposed('Another replica judges now.')
        const rows = changes.length === 0 ? [] : await writeChanges(tx, changes)
        return rows.map((row) => ({ environment: row.service.environment.name, alert: alertOf(row) }))
      },
      { timeout: TIMEOUT_MS },
    )
  }

  override async prune(): Promise<void> {
    const { prisma } = this.database
    await prisma.$executeRaw`DELETE FROM alert WHERE state = 'resolved' AND resolved_at < now() - make_interval(days => ${KEPT_DAYS})`
    await prisma.$executeRaw`DELETE FROM alert_silence WHERE ends_at < now() - make_interval(days => ${KEPT_DAYS})`
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
    const silences = await this.database.prisma.alertSilence.findMany({
      where: { environment: { name: environment }, startsAt: { lte: new Date() }, endsAt: { gt: new Date() } },
    })
    const active = silences.map(silenceOf)
    return rowsOf(rows, limit, (row) => {
      const alert = alertOf(row)
      return { ...alert, silenced: active.some(({ matchers }) => matches(matchers, alert)) }
    })
  }
}
