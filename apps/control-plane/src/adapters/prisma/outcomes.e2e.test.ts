import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rollUp } from '../../features/outcomes/roll-up.ts'
import { ServiceSeats } from '../../features/outcomes/seats.ts'
import { freshDatabase } from '../../testing/fresh-database.ts'
import { NOW_S, OUTCOME_STORE_CONTRACT, outcomesAsked, windowOf } from '../../testing/outcome-store-contract.ts'
import { migrate, readMigrations } from '../postgres/migrate.ts'
import { Database } from './database.ts'
import { PrismaOutcomeStore } from './outcomes.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../../../prisma/migrations', import.meta.url))

let fresh: Awaited<ReturnType<typeof freshDatabase>>
let database: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  await migrate(fresh.url, await readMigrations(MIGRATIONS))
  database = await Database.open(fresh.url, () => {})
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

test.each(OUTCOME_STORE_CONTRACT)('%s', (_, check) => check(new PrismaOutcomeStore(database)))

test('what another replica dropped, whose clock is hours ahead, is made again by who still writes there', async () => {
  const [behind, ahead] = [new PrismaOutcomeStore(database), new PrismaOutcomeStore(database)]
  const write = (second: number) =>
    behind.write(
      [windowOf('clocks', second, (cell) => cell.add('offered', 1))],
      (fresh) => rollUp(fresh, new ServiceSeats(), NOW_S * 1_000),
      NOW_S * 1_000,
    )
  for (let i = 0; i < 3; i++) {
    await write(NOW_S - i)
    await ahead.maintain((NOW_S + 4 * 3_600) * 1_000)
  }
  await write(NOW_S - 5)
  const { total } = await behind.query(outcomesAsked('clocks', { step: 60, bucket: 60 }))
  expect(total.offered).toBe(4)
})

test('identities of windows outlive the wrong clock of a replica', async () => {
  const store = new PrismaOutcomeStore(database)
  const window = windowOf('twice', NOW_S - 5, (cell) => cell.add('offered', 1))
  const write = () => store.write([window], (fresh) => rollUp(fresh, new ServiceSeats(), NOW_S * 1_000), NOW_S * 1_000)
  expect((await write()).size).toBeGreaterThan(0)
  await new PrismaOutcomeStore(database).maintain((NOW_S + 3_600) * 1_000)
  expect((await write()).size).toBe(0)
})

test('upkeep holds no table while it waits for another, whatever order a write takes them in', async () => {
  const { pool } = database
  const write = await pool.connect()
  try {
    await write.query('BEGIN; LOCK TABLE outcome_60s IN ROW EXCLUSIVE MODE')
    const upkeep = new PrismaOutcomeStore(database).maintain((NOW_S + 30 * 86_400) * 1_000)
    const waits = "SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'outcome_60s'::regclass"
    await expect.poll(async () => (await pool.query<{ n: number }>(waits)).rows[0]?.n).toBe(1)
    await write.query("SET LOCAL lock_timeout = '5s'; LOCK TABLE outcome_1s IN ROW EXCLUSIVE MODE; COMMIT")
    await upkeep
  } finally {
    write.release(true)
  }
})
