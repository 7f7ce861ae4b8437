import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../adapters/postgres/embedded.ts'
import { MIGRATIONS, migrate, readMigrations } from '../adapters/postgres/migrate.ts'
import { Database } from '../adapters/prisma/database.ts'
import { type Config, StartRefused } from '../config/config.ts'

/**
 * Opens the same database as the control plane of this configuration, whether that runs or not, migrated. A built-in
 * server that already runs is used and left alone; one that had to be started is ended, unless somebody came to use it
 * meanwhile. Takes no replica's lock: a command writes rows and is gone.
 */
export const withDatabase = async <T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> => {
  const embedded = config.databaseUrl === null ? await startEmbeddedPostgres(join(config.dataFolder, 'postgres')) : null
  const url = named(config.databaseUrl ?? embedded?.url ?? '')
  let others = 0
  try {
    const database = await open(url)
    try {
      return await work(database)
    } finally {
      others = await otherClients(database)
      await database.close()
    }
  } finally {
    await endOwn(embedded, others)
  }
}

/** Our connections are known by a name that no other command has. */
const named = (text: string): string => {
  const url = new URL(text)
  url.searchParams.set('application_name', `weir-cli-${process.pid}`)
  return url.href
}

const open = async (url: string): Promise<Database> => {
  try {
    await migrate(url, await readMigrations(MIGRATIONS))
    return await Database.open(url, () => {})
  } catch (error) {
    if (error instanceof StartRefused) throw error
    const why: unknown = error instanceof AggregateError ? error.errors[0] : error
    const { host } = new URL(url)
    throw new StartRefused(
      `The database at ${host} cannot be used: ${why instanceof Error ? why.message : String(why)}.`,
    )
  }
}

/** Connections of other programs: a control plane that started meanwhile, another command. */
const otherClients = async ({ pool }: Database): Promise<number> => {
  const { rows } = await pool.query<{ others: number }>(
    `SELECT count(*)::int AS others FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND application_name <> current_setting('application_name')`,
  )
  return rows[0]?.others ?? 0
}

const endOwn = async (embedded: EmbeddedPostgres | null, others: number): Promise<void> => {
  if (embedded !== null && !embedded.takenOver && others === 0) await embedded.stop()
}
