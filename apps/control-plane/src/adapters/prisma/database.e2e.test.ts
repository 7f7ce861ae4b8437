import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { freshDatabase } from '../../testing/fresh-database.ts'
import { migrate, readMigrations } from '../postgres/migrate.ts'
import { isDatabaseAway } from './away.ts'
import { Database } from './database.ts'
import { inTransaction } from './outcomes-partitions.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../../../prisma/migrations', import.meta.url))

/** A way to a server that may swallow what passes, as a network does that was cut: nobody is told. */
const cuttable = async (target: URL) => {
  const nears = new Set<Socket>()
  let cut = false
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname)
    nears.add(near)
    near.on('data', (piece) => cut || far.write(piece))
    far.on('data', (piece) => cut || near.write(piece))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {})
      one.once('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    for (const near of nears) near.destroy()
    server.close()
  }
  return {
    url: url.href,
    cut: (is: boolean) => {
      cut = is
    },
    close,
  }
}

test('a server that falls silent in the middle of a statement is away, whoever asked, and its connections are not used again', async () => {
  const fresh = await freshDatabase()
  await migrate(fresh.url, await readMigrations(MIGRATIONS))
  const way = await cuttable(new URL(fresh.url))
  const database = await Database.open(way.url, () => {}, 500)
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
    way.cut(true)
    const answers = await Promise.allSettled(asked.map((ask) => ask()))
    expect(answers.map((answer) => answer.status === 'rejected' && isDatabaseAway(answer.reason))).toEqual(
      asked.map(() => true),
    )
    expect(pool.totalCount).toBe(0)
    way.cut(false)
    for (const ask of asked) await ask()
  } finally {
    way.cut(false)
    await database.close()
    way.close()
    await fresh.drop()
  }
})
