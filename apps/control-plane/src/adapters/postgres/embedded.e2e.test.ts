import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts'
import { holdReplicaLock } from './replica-lock.ts'
import { postgresUser } from './run.ts'

vi.setConfig({ testTimeout: 120_000 })

let root = ''
let folder = ''
let server: EmbeddedPostgres | null = null
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'weir-embedded-'))
  await chmod(root, 0o755)
  folder = join(root, 'a folder')
})
afterEach(async () => {
  await server?.stop()
  server = null
  await rm(root, { recursive: true, force: true })
})

const sql = async (url: string, text: string) => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rows
}
const pidOf = async () => Number((await readFile(join(folder, 'data/postmaster.pid'), 'utf8')).split('\n')[0])

test('a server that outlived its parent is taken over: same process, same data, never a second one', async () => {
  server = await startEmbeddedPostgres(folder)
  await sql(server.url, 'CREATE TABLE kept (x int)')
  const pid = await pidOf()
  const again = await startEmbeddedPostgres(folder)
  expect([again.takenOver, again.url, await pidOf()]).toEqual([true, server.url, pid])
  expect(await sql(again.url, 'SELECT * FROM kept')).toEqual([])
})

test('after a stop it starts again at the same address with the same data', async () => {
  server = await startEmbeddedPostgres(folder)
  await sql(server.url, 'CREATE TABLE kept (x int)')
  await server.stop()
  const again = await startEmbeddedPostgres(folder)
  expect([again.takenOver, again.url]).toEqual([false, server.url])
  expect(await sql(again.url, 'SELECT * FROM kept')).toEqual([])
})

test('a pid file of a server that was killed, its number now another program’s, does not block the start', async () => {
  server = await startEmbeddedPostgres(folder)
  const file = join(folder, 'data/postmaster.pid')
  const text = await readFile(file, 'utf8')
  await server.stop()
  const stranger = spawn('sleep', ['600'], await postgresUser())
  await writeFile(file, text.replace(/^\d+/, String(stranger.pid)))
  expect((await startEmbeddedPostgres(folder)).takenOver).toBe(false)
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
  stranger.kill()
})

test('a server that dies under a running control plane is started again, and the lock taken again', async () => {
  server = await startEmbeddedPostgres(folder)
  const { url } = server
  const lock = await holdReplicaLock(url, 'only', () => {}, server.revive)
  process.kill(await pidOf(), 'SIGKILL')
  await expect
    .poll(() => sql(url, `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'`).catch(() => null), {
      timeout: 60_000,
    })
    .toEqual([{ n: 1 }])
  await lock.release()
})

test('its folder and its password are readable by nobody else', async () => {
  server = await startEmbeddedPostgres(folder)
  const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
  expect([await mode(folder), await mode(join(folder, 'settings.json'))]).toEqual(['700', '600'])
  await expect(sql(server.url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow('password')
})
