import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../../testing/fresh-database.ts'
import { MIGRATIONS, migrate, readMigrations } from '../postgres/migrate.ts'
import { PrismaAlertLeader } from './alert-leader.ts'
import { Database } from './database.ts'

let database: Database
let drop: () => Promise<void>
beforeAll(async () => {
  const fresh = await freshDatabase()
  drop = fresh.drop
  await migrate(fresh.url, await readMigrations(MIGRATIONS))
  database = await Database.open(fresh.url, () => {})
})
afterAll(async () => {
  await database.close()
  await drop()
})

test('of replicas that ask at once one has the term, and keeps it', async () => {
  const replicas = Array.from({ length: 5 }, () => new PrismaAlertLeader(database))
  const terms = await Promise.all(replicas.map((replica) => replica.hold()))
  expect(terms.filter((term) => term !== null)).toHaveLength(1)
  const leader = replicas[terms.findIndex((term) => term !== null)]
  const token = terms.find((term) => term !== null)?.token ?? 0n
  expect((await leader?.hold())?.token).toBe(token)

  const other = replicas.find((replica) => replica !== leader)
  expect(await other?.hold()).toBeNull()
  await other?.release()
  expect((await leader?.hold())?.token).toBe(token)
  await leader?.release()
  expect((await other?.hold())?.token).toBe(token + 1n)
  expect(await leader?.hold()).toBeNull()
})

test('a term ends by itself, and another one has a larger token', async () => {
  const [first, second] = [new PrismaAlertLeader(database), new PrismaAlertLeader(database)]
  await database.pool.query('UPDATE alert_leader SET expires_at = now()')
  const { token, nowMs } = (await first.hold()) ?? { token: 0n, nowMs: 0 }
  expect(Math.abs(nowMs - Date.now())).toBeLessThan(5_000)
  await database.pool.query('UPDATE alert_leader SET expires_at = now()')
  expect((await second.hold())?.token).toBe(token + 1n)
  expect(await first.hold()).toBeNull()
})
