import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, test } from 'vitest'
import { freshDatabase } from '../../testing/fresh-database.ts'
import { OUTCOME_STORE_CONTRACT } from '../../testing/outcome-store-contract.ts'
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
