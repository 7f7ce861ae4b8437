import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../adapters/postgres/embedded.ts'

/** The PostgreSQL server that tests may use: only databases of their own on it. */
export const SERVER = 'WEIR_TEST_DATABASE_URL'

/** Once for a run of the tests: a server by WEIR_TEST_DATABASE_URL or DATABASE_URL, else one of its own. */
export default async function setup(): Promise<() => Promise<void>> {
  const given = process.env[SERVER] ?? process.env.DATABASE_URL
  if (given !== undefined && given !== '') {
    process.env[SERVER] = given
    return async () => {}
  }
  const folder = await mkdtemp(join(tmpdir(), 'weir-test-'))
  await chmod(folder, 0o755)
  const server = await startEmbeddedPostgres(join(folder, 'postgres'))
  process.env[SERVER] = server.url
  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
