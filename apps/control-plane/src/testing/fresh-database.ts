import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { SERVER } from './server.ts'

/** A fresh database on the tests' server. `drop` removes it, and only it. */
export const freshDatabase = async (): Promise<{ url: string; drop(): Promise<void> }> => {
  const server = process.env[SERVER] ?? process.env.DATABASE_URL
  if (server === undefined) throw new Error(`${SERVER} is not set: run the e2e project, which starts a server.`)
  const name = `weir_test_${randomBytes(6).toString('hex')}`
  const admin = async (sql: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  await admin(`CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}
