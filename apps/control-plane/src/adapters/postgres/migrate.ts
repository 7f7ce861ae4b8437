import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { StartRefused } from '../../config/config.ts'

/** Any number; one for every control plane, so that two that start at once migrate one after the other. */
const MIGRATION_LOCK = 7_235_873_001

/** The table of Prisma's own command line, so that either may be used on a database. */
const TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`

/** The repository's `prisma/migrations`, from source and from the build alike. */
export const MIGRATIONS = fileURLToPath(new URL('../../../../../prisma/migrations', import.meta.url))

export interface Migration {
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

/** The folders of `folder` in order of name, each with its `migration.sql`. */
export const readMigrations = async (folder: string): Promise<Migration[]> => {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * Brings a database up to date; each migration and its record are one transaction. Refused when the database was
 * migrated by a newer version, or when a migration that it has was edited afterwards. Returns what was applied.
 */
export const migrate = async (url: string, migrations: readonly Migration[]): Promise<string[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    await client.query(TABLE)
    const { rows } = await client.query<{ migration_name: string; checksum: string }>(
      'SELECT migration_name, checksum FROM "_prisma_migrations" WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
    )
    const done = new Map(rows.map((row) => [row.migration_name, row.checksum]))
    checkHistory(done, migrations)
    const pending = migrations.filter((migration) => !done.has(migration.name))
    for (const migration of pending) await apply(client, migration)
    return pending.map((migration) => migration.name)
  } finally {
    await client.end()
  }
}

const checkHistory = (done: ReadonlyMap<string, string>, migrations: readonly Migration[]): void => {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]))
  for (const [name, checksum] of done) {
    if (!known.has(name))
      throw new StartRefused(
        `The database was migrated by another version (it has "${name}"): start that version, or a newer one.`,
      )
    if (known.get(name) !== checksum)
      throw new StartRefused(`Migration "${name}" differs from the one that this database was made with.`)
  }
}

const apply = async (client: pg.Client, { name, sql, checksum }: Migration): Promise<void> => {
  await client.query('BEGIN')
  try {
    await client.query(sql)
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, finished_at, migration_name, applied_steps_count) VALUES ($1, $2, now(), $3, 1)`,
      [randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw new Error(`Migration "${name}" failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}
