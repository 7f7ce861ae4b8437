import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { Logger } from 'nestjs-pino'
import { startEmbeddedPostgres } from './adapters/postgres/embedded.ts'
import { MIGRATIONS, migrate, readMigrations } from './adapters/postgres/migrate.ts'
import { holdReplicaLock } from './adapters/postgres/replica-lock.ts'
import { isDatabaseAway } from './adapters/prisma/away.ts'
import { Database } from './adapters/prisma/database.ts'
import { type Config, StartRefused } from './config/config.ts'
import { QuietFramework } from './config/logging.ts'
import { ProblemFilter } from './http/problem.filter.ts'
import { requestSpans } from './http/request-spans.ts'
import { securityHeaders } from './http/security-headers.ts'
import { ValidationPipe } from './http/validation.ts'

/** REST bodies; OTLP has its own bound. A policy document is at most 256 KiB, and JSON escapes may double it. */
const BODY_BYTES = 1_048_576

/** From a request's first byte to its last: OTLP bodies of 4 MiB over a slow line fit; a peer that dribbles is cut off. Fastify's own default is never. */
const REQUEST_MS = 60_000

/** Connections that the kernel keeps until they are accepted, as far as `net.core.somaxconn` lets it: a fleet comes back within a second or two. */
const BACKLOG = 16_384

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
    const kind = config.redis === null ? 'only' : 'shared'
    const lock = await holdReplicaLock(url, kind, lost, embedded?.revive).catch((error: unknown) => {
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
    requestTimeout: REQUEST_MS,
    trustProxy: config.trustedProxies.length === 0 ? false : [...config.trustedProxies],
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 512 },
    ...https,
  })
}

/** Everything between the network and the controllers, the same in tests and in production. */
export const dressApplication = async (app: NestFastifyApplication, config: Config): Promise<void> => {
  app.useLogger(new QuietFramework(app.get(Logger)))
  app.useGlobalFilters(new ProblemFilter(isDatabaseAway))
  app.useGlobalPipes(new ValidationPipe())
  const fastify = app.getHttpAdapter().getInstance()
  securityHeaders(fastify)
  if (config.otlpEndpoint !== null) requestSpans(fastify)
  await app.register(fastifyStatic, { root: config.dashboardFolder, serve: false, suppressWarning: true })
}

/** Whether the port is free, asked before a database is started for nothing. */
export const checkPort = (config: Config): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => reject(unlistenable(config, error) ?? error))
    probe.listen(config.port, config.host, () => probe.close(() => resolve()))
  })

const unlistenable = ({ host, port }: Config, error: unknown): StartRefused | null => {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'EADDRINUSE') return new StartRefused(`Port ${port} on ${host} is taken: end what uses it, or set PORT.`)
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartRefused(`${host}:${port} cannot be listened on (${code}): set HOST and PORT.`)
  return null
}

/** Listens; a port that is taken is one clear line. */
export const listen = async (app: NestFastifyApplication, config: Config): Promise<string> => {
  try {
    await app.listen({ port: config.port, host: config.host, backlog: BACKLOG })
  } catch (error) {
    throw unlistenable(config, error) ?? error
  }
  return app.getUrl()
}
