import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { CuttableWay } from '../../../../agent/src/defer/cuttable.testkit.ts'
import { freshDatabase } from '../../testing/fresh-database.ts'
import { migrate, readMigrations } from '../postgres/migrate.ts'
import { isDatabaseAway } from './away.ts'
import { Database } from './database.ts'
import { inTransaction } from './transaction.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../../../prisma/migrations', import.meta.url))

test('a server that falls silent in the middle of a statement is away, whoever asked, and its connections are not used again', async () => {
  const fresh = await freshDatabase()
  await migrate(fresh.url, await readMigrations(MIGRATIONS))
  const url = new URL(fresh.url)
  const way = await CuttableWay.to(url.hostname, Number(url.port || 5432))
  url.host = `127.0.0.1:${way.port}`
  const database = await Database.open(url.href, () => {}, 500)
  const { pool, prisma } = database
  try {
    const asked = [
      () => pool.query('SELECT 1'),
      () => inTransaction(pool, (client) => client.query('SELECT 1')),
      () => prisma.environment.count(),
      () => prisma.$transaction((tx) => tx.environment.count()),
    ]
    // Each has a connection of its own when it is cut.
    const held = await Promise.all(asked.map(() => pool.connect()))
    for (const client of held) client.release()
    way.silence()
    const answers = await Promise.allSettled(asked.map((ask) => ask()))
    expect(answers.map((answer) => answer.status === 'rejected' && isDatabaseAway(answer.reason))).toEqual(
      asked.map(() => true),
    )
    expect(pool.totalCount).toBe(0)
    way.restore()
    for (const ask of asked) await ask()
  } finally {
    way.restore()
    await database.close()
    way.close()
    await fresh.drop()
  }
})
