import { Injectable } from '@nestjs/common'
import type { Environment, Service } from '@weir/api'
import { type PageRequest, type Rows, rowsOf } from '../../features/paging.ts'
import { done, type Result, refused } from '../../features/result.ts'
import { Catalog } from '../../features/services/catalog.ts'
import { CATALOG_BOUNDS, type ServiceRef } from '../../features/services/service-ref.ts'
import type { Service as Row } from '../../generated/prisma/client.ts'
import { writeAudit } from './audit.ts'
import { Database } from './database.ts'
import { findEnvironment, findService } from './find.ts'
import { type AgentCounts, countAgents, NO_AGENTS } from './presence.ts'
import { transact } from './transact.ts'

/** Of a unique index: two that create the same name at once, or a name that is there. */
const UNIQUE_VIOLATION = 'P2002'

@Injectable()
export class PrismaCatalog extends Catalog {
  constructor(private readonly database: Database) {
    super()
  }

  override async environments({ after, limit, search }: PageRequest<string>): Promise<Rows<Environment>> {
    const rows = await this.database.prisma.environment.findMany({
      where: { name: { ...(after === null ? {} : { gt: after }), ...(search ? { contains: search } : {}) } },
      orderBy: { name: 'asc' },
      take: limit + 1,
      include: { _count: { select: { services: true } } },
    })
    return rowsOf(rows, limit, ({ name, createdAt, _count }) => ({
      name,
      createdAt: createdAt.toISOString(),
      services: _count.services,
    }))
  }

  override createEnvironment(name: string, actor: string): Promise<Result<Environment>> {
    const taken = refused('conflict', `There is an environment ${name} already.`)
    return unlessTaken(taken, () =>
      transact(this.database, async (tx) => {
        if ((await tx.environment.count()) >= CATALOG_BOUNDS.environments)
          return refused('conflict', `There are at most ${CATALOG_BOUNDS.environments} environments.`)
        const { createdAt } = await tx.environment.create({ data: { name } })
        await writeAudit(tx, { actor, action: 'environment.create', environment: name })
        return done({ name, createdAt: createdAt.toISOString(), services: 0 })
      }),
    )
  }

  override async services(
    environment: string,
    { after, limit, search }: PageRequest<string>,
  ): Promise<Result<Rows<Service>>> {
    const { prisma } = this.database
    const found = await findEnvironment(prisma, environment)
    if (!found.ok) return found
    const rows = await prisma.service.findMany({
      where: {
        environmentId: found.value.id,
        name: { ...(after === null ? {} : { gt: after }), ...(search ? { contains: search } : {}) },
      },
      orderBy: { name: 'asc' },
      take: limit + 1,
    })
    const page = rowsOf(rows, limit, (row) => row)
    const ids = page.items.map(({ id }) => id)
    const [counts, alerts] = await Promise.all([countAgents(this.database, ids), this.#openAlerts(ids)])
    const items = page.items.map((row) => serviceOf(environment, row, counts.get(row.id), alerts.get(row.id)))
    return done({ items, more: page.more })
  }

  override async service(ref: ServiceRef): Promise<Result<Service>> {
    const found = await findService(this.database.prisma, ref)
    return found.ok ? done(await this.#whole(ref, found.value)) : found
  }

  override createService(ref: ServiceRef, actor: string): Promise<Result<Service>> {
    const taken = refused('conflict', `There is a service ${ref.service} in ${ref.environment} already.`)
    return unlessTaken(taken, () =>
      transact(this.database, async (tx) => {
        const found = await findEnvironment(tx, ref.environment)
        if (!found.ok) return found
        const { id: environmentId } = found.value
        if ((await tx.service.count({ where: { environmentId } })) >= CATALOG_BOUNDS.services)
          return refused('conflict', `An environment has at most ${CATALOG_BOUNDS.services} services.`)
        const row = await tx.service.create({ data: { environmentId, name: ref.service } })
        await writeAudit(tx, { ...ref, actor, action: 'service.create' })
        return done(serviceOf(ref.environment, row))
      }),
    )
  }

  async #whole({ environment }: ServiceRef, row: Row): Promise<Service> {
    const [counts, alerts] = await Promise.all([countAgents(this.database, [row.id]), this.#openAlerts([row.id])])
    return serviceOf(environment, row, counts.get(row.id), alerts.get(row.id))
  }

  async #openAlerts(serviceIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.prisma.alert.groupBy({
      by: ['serviceId'],
      where: { serviceId: { in: [...serviceIds] }, state: 'firing' },
      _count: true,
    })
    return new Map(rows.map((row) => [row.serviceId, row._count]))
  }
}

const unlessTaken = async <T>(taken: Result<T>, write: () => Promise<Result<T>>): Promise<Result<T>> => {
  try {
    return await write()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION) return taken
    throw error
  }
}

const serviceOf = (environment: string, row: Row, agents: AgentCounts = NO_AGENTS, openAlerts = 0): Service => ({
  environment,
  name: row.name,
  createdAt: row.createdAt.toISOString(),
  revision: row.revision,
  hash: row.hash,
  policyVersion: row.policyVersion,
  publishedAt: row.publishedAt?.toISOString() ?? null,
  agents,
  openAlerts,
})
