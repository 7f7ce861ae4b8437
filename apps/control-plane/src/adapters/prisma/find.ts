import { done, type Result, refused } from '../../features/result.ts'
import type { ServiceRef } from '../../features/services/service-ref.ts'
import type { Environment, Service } from '../../generated/prisma/client.ts'
import type { Transaction } from './database.ts'

export const findEnvironment = async (db: Transaction, name: string): Promise<Result<Environment>> => {
  const row = await db.environment.findUnique({ where: { name } })
  return row === null ? refused('not-found', `There is no environment ${name}.`) : done(row)
}

export const findService = async (db: Transaction, ref: ServiceRef): Promise<Result<Service>> => {
  const row = await db.service.findFirst({ where: { name: ref.service, environment: { name: ref.environment } } })
  return row === null ? notThere(ref) : done(row)
}

/** Locks the service's row until the transaction ends: publishes of one service go one after the other. */
export const lockService = async (tx: Transaction, ref: ServiceRef): Promise<Result<Service>> => {
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT s.id FROM service s JOIN environment e ON e.id = s.environment_id
    WHERE e.name = ${ref.environment} AND s.name = ${ref.service} FOR UPDATE OF s`
  const id = locked[0]?.id
  return id === undefined ? notThere(ref) : done(await tx.service.findUniqueOrThrow({ where: { id } }))
}

const notThere = ({ environment, service }: ServiceRef) =>
  refused('not-found', `There is no service ${service} in the environment ${environment}.`)
