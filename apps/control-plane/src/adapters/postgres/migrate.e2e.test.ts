import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshDatabase } from '../../testing/fresh-database.ts'
import { Database } from '../prisma/database.ts'
import { type Migration, migrate, readMigrations } from './migrate.ts'
import { holdReplicaLock, type ReplicaKind } from './replica-lock.ts'

const folder = fileURLToPath(new URL('../../../../../prisma/migrations', import.meta.url))
let url = ''
let drop = async () => {}
beforeEach(async () => {
  const fresh = await freshDatabase()
  url = fresh.url
  drop = fresh.drop
})
afterEach(() => drop())

const sql = async (text: string) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rows
}

const none = (why: string) => {
  throw new Error(why)
}
const refusedAt = (url: string, kind: ReplicaKind) => holdReplicaLock(url, kind, none, undefined, 300)

test('two that start at once migrate once, and the next start finds nothing to do', async () => {
  const migrations = await readMigrations(folder)
  const applied = await Promise.all([migrate(url, migrations), migrate(url, migrations)])
  expect(applied.map((names) => names.length).sort()).toEqual([0, migrations.length])
  expect(await migrate(url, migrations)).toEqual([])
})

test('the migrations make what the schema says: every model can be read, every column is there', async () => {
  await migrate(url, await readMigrations(folder))
  const database = await Database.open(url, () => {})
  try {
    const named = Reflect.get(database.prisma, '_runtimeDataModel') as { models: Record<string, unknown> }
    const names = Object.keys(named.models)
    expect(names.length).toBeGreaterThan(15)
    for (const name of names) {
      const key = name[0]?.toLowerCase() + name.slice(1)
      await (Reflect.get(database.prisma, key) as { findFirst(): Promise<unknown> }).findFirst()
    }
  } finally {
    await database.close()
  }
})

test('a migration that fails leaves nothing of itself, and those before it stay', async () => {
  const good: Migration = { name: '1', sql: 'CREATE TABLE a (x int)', checksum: 'c1' }
  const bad: Migration = { name: '2', sql: 'CREATE TABLE b (x int); SELECT nonsense', checksum: 'c2' }
  await expect(migrate(url, [good, bad])).rejects.toThrow('Migration "2" failed')
  expect(await sql(`SELECT table_name FROM information_schema.tables WHERE table_name IN ('a', 'b')`)).toEqual([
    { table_name: 'a' },
  ])
  expect(await migrate(url, [good, { ...bad, sql: 'CREATE TABLE b (x int)' }])).toEqual(['2'])
})

test('a database of a newer version, or an edited migration, refuses the start', async () => {
  const first: Migration = { name: '1', sql: 'SELECT 1', checksum: 'c1' }
  await migrate(url, [first, { name: '2', sql: 'SELECT 1', checksum: 'c2' }])
  await expect(migrate(url, [first])).rejects.toThrow('migrated by another version')
  await expect(migrate(url, [{ ...first, checksum: 'other' }])).rejects.toThrow('differs')
})

test('a second control plane on the database is refused, and welcome once the first one is gone', async () => {
  const first = await holdReplicaLock(url, 'only', none)
  await expect(refusedAt(url, 'only')).rejects.toThrow('Another control plane')
  await first.release()
  await (await holdReplicaLock(url, 'only', none)).release()
})

test('replicas that share a Redis serve one database together, never beside one that does not', async () => {
  const [first, second] = [await holdReplicaLock(url, 'shared', none), await holdReplicaLock(url, 'shared', none)]
  await first.release()
  await expect(refusedAt(url, 'only')).rejects.toThrow('REDIS_URL for each')
  await second.release()
  const alone = await holdReplicaLock(url, 'only', none)
  await expect(refusedAt(url, 'shared')).rejects.toThrow('without REDIS_URL')
  await alone.release()
})

test('a lock whose connection was cut is taken again', async () => {
  const lock = await holdReplicaLock(url, 'only', () => {})
  const held = async () => (await sql(`SELECT pid FROM pg_locks WHERE locktype = 'advisory'`))[0]?.pid
  const before = await held()
  await sql(`SELECT pg_terminate_backend(${before})`)
  await expect.poll(held).toSatisfy((pid) => pid !== undefined && pid !== before)
  await lock.release()
})

test('a connection that is lost while somebody holds it ends a statement, not the process', async () => {
  await migrate(url, await readMigrations(folder))
  const lost: string[] = []
  const database = await Database.open(url, (error) => lost.push(error.message))
  const held = await database.pool.connect()
  const { rows } = await held.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await sql(`SELECT pg_terminate_backend(${rows[0]?.pid})`)
  await expect.poll(() => lost.length).toBeGreaterThan(0)
  held.release(true)
  expect((await database.pool.query('SELECT 1 AS x')).rows).toEqual([{ x: 1 }])
  await database.close()
})
