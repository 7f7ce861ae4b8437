import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { WsAdapter } from '@nestjs/platform-ws'
import { Logger } from 'nestjs-pino'
import { startEmbeddedPostgres } from './adapters/postgres/embedded.ts'
import { migrate, readMigrations } from './adapters/postgres/migrate.ts'
import { holdReplicaLock } from './adapters/postgres/replica-lock.ts'
import { Database } from './adapters/prisma/database.ts'
import { type Config, StartRefused } from './config/config.ts'
import { ProblemFilter } from './http/problem.filter.ts'
import { securityHeaders } from './http/security-headers.ts'
import { validationPipe } from './http/validation.ts'

/** REST bodies; OTLP has its own bound. A policy document is at most 256 KiB, and JSON escapes may double it. */
const BODY_BYTES = 1_048_576

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

export interface OpenDatabase {
  readonly database: Database
  /** Closes everything; with the built-in server, ends that too. */
  close(): Promise<void>
}

/** Finds or starts the database, takes the replica's lock, migrates. `lost` is called when the lock is lost for good. */
export const openDatabase = async (config: Config, lost: (why: string) => void): Promise<OpenDatabase> => {
  const embedded = config.databaseUrl === null ? await startEmbeddedPostgres(join(config.dataFolder, 'postgres')) : null
  const url = config.databaseUrl ?? embedded?.url ?? ''
  try {
    const lock = await holdReplicaLock(url, lost).catch((error: unknown) => {
      throw error instanceof StartRefused ? error : new StartRefused(unreachable(url, error))
    })
    try {
      await migrate(url, await readMigrations(MIGRATIONS))
      const database = await Database.open(url, () => {})
      const close = async () => {
        await database.close()
        await lock.release()
        await embedded?.stop()
      }
      return { database, close }
    } catch (error) {
      await lock.release()
      throw error
    }
  } catch (error) {
    if (embedded?.takenOver === false) await embedded.stop()
    throw error
  }
}

const unreachable = (url: string, error: unknown): string => {
  const { host } = new URL(url)
  const why = error instanceof AggregateError ? error.errors[0] : error
  return `The database at ${host} cannot be used: ${why instanceof Error ? why.message : String(why)}.`
}

/** The Fastify side of the server: proxies, TLS, bounds. */
export const httpAdapter = async (config: Config): Promise<FastifyAdapter> => {
  const https =
    config.tls === null
      ? {}
      : { https: { cert: await readFile(config.tls.certFile), key: await readFile(config.tls.keyFile) } }
  return new FastifyAdapter({
    bodyLimit: BODY_BYTES,
    trustProxy: config.trustedProxies.length === 0 ? false : [...config.trustedProxies],
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 512 },
    ...https,
  })
}

/** Everything between the network and the controllers, the same in tests and in production. */
export const dressApplication = (app: NestFastifyApplication): void => {
  app.useLogger(app.get(Logger))
  app.useWebSocketAdapter(new WsAdapter(app))
  app.useGlobalFilters(new ProblemFilter())
  app.useGlobalPipes(validationPipe())
  securityHeaders(app.getHttpAdapter().getInstance())
}

/** Listens; a port that is taken is one clear line. */
export const listen = async (app: NestFastifyApplication, config: Config): Promise<string> => {
  try {
    await app.listen(config.port, config.host)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'EADDRINUSE')
      throw new StartRefused(`Port ${config.port} on ${config.host} is taken: end what uses it, or set PORT.`)
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
      throw new StartRefused(`${config.host}:${config.port} cannot be listened on (${code}): set HOST and PORT.`)
    throw error
  }
  return app.getUrl()
}
