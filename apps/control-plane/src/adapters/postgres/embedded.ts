import { randomBytes } from 'node:crypto'
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { StartRefused } from '../../config/config.ts'
import { postgresBinaries } from './binaries.ts'
import { exists, prepareFolder, readSettings, type Settings, usablePort, writeSettings } from './folder.ts'
import { ableToReach, postgresUser, type RunAs, run } from './run.ts'

/** A PostgreSQL server over a folder. `stop` ends it; leaving it running is safe, the next start takes it over. */
export interface EmbeddedPostgres {
  readonly url: string
  readonly takenOver: boolean
  stop(): Promise<void>
  /** Starts the server again where it has died, at the same address; otherwise does nothing. */
  revive(): Promise<void>
}

const DATABASE = 'weir'
const START_SECONDS = 60
const STOP_SECONDS = 30
/** Loopback only and no socket file; 100 connections are those of one replica, and room for a person. */
const OPTIONS =
  "-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c shared_buffers=32MB -c max_connections=100"

/**
 * Starts PostgreSQL in `folder`, or takes over the one that runs there (its parent may have been killed). Two
 * servers never share a folder: `postmaster.pid` is PostgreSQL's own guard, and this looks at it first.
 * The password is random and stays in the folder, readable by its owner only; the server listens on loopback.
 */
export const startEmbeddedPostgres = async (wanted: string): Promise<EmbeddedPostgres> => {
  const owner = await postgresUser()
  const folder = await prepareFolder(wanted, owner)
  const data = join(folder, 'data')
  const { initdb, pgCtl } = await postgresBinaries()
  const user = await ableToReach(owner, [folder, initdb])
  const control = (...args: string[]) => run(pgCtl, [...args, '-D', data], user)
  const stop = async () => {
    await control('stop', '-m', 'fast', '-w', '-t', String(STOP_SECONDS))
  }
  const alive = async (settings: Settings | null): Promise<boolean> => {
    if (settings === null || !(await exists(join(data, 'postmaster.pid')))) return false
    if (await answers(settings, data)) return true
    const holder = await ownerOf(data)
    if (holder === 'server') await stop()
    if (holder === 'stranger') await rm(join(data, 'postmaster.pid'), { force: true })
    return false
  }
  const launch = async (settings: Settings): Promise<void> => {
    const log = join(folder, 'server.log')
    await rm(log, { force: true })
    const options = `-p ${settings.port} ${OPTIONS}`
    const started = await control('start', '-l', log, '-w', '-t', String(START_SECONDS), '-o', options)
    if (started.code !== 0)
      throw new StartRefused(`The built-in PostgreSQL did not start: ${await lastWords(log, started.output)}`)
    await ensureDatabase(settings)
  }
  const server = (settings: Settings, takenOver: boolean): EmbeddedPostgres => ({
    url: urlOf(settings),
    takenOver,
    stop,
    revive: async () => {
      if (!(await alive(settings))) await launch(settings)
    },
  })
  const saved = await readSettings(folder)
  if (saved !== null && (await alive(saved))) return server(saved, true)
  if (!(await exists(data))) await create(folder, data, initdb, user)
  const password = (await readSettings(folder))?.password
  if (password === undefined)
    throw new StartRefused(`${folder} has a database but no settings.json: restore or remove it.`)
  const settings = { password, port: await usablePort(saved?.port ?? 0) }
  await writeSettings(folder, settings)
  await launch(settings)
  return server(settings, false)
}

const urlOf = (settings: Settings, database = DATABASE) =>
  `postgresql://weir:${settings.password}@127.0.0.1:${settings.port}/${database}`

/** Made beside its place and moved there when whole, so that a kill in between leaves nothing half-made. */
const create = async (folder: string, data: string, initdb: string, user: RunAs): Promise<void> => {
  const draft = join(folder, 'data.new')
  const passwordFile = join(folder, 'password.new')
  await rm(draft, { recursive: true, force: true })
  const password = randomBytes(24).toString('hex')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (user.uid !== undefined && user.gid !== undefined) await chown(passwordFile, user.uid, user.gid)
  const args = [
    '-D',
    draft,
    '-U',
    'weir',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--no-locale',
  ]
  const made = await run(initdb, args, user).finally(() => rm(passwordFile, { force: true }))
  if (made.code !== 0) {
    const why = made.output.split('\n').find((line) => line.includes('error:')) ?? made.output.trim().slice(-300)
    const hint =
      user.uid === undefined
        ? ''
        : ' (as root it runs as the user "postgres", who must be able to reach the folder and node_modules)'
    throw new StartRefused(`The built-in PostgreSQL could not make its folder ${data}: ${why}${hint}`)
  }
  await writeSettings(folder, { port: 0, password })
  await rename(draft, data)
}

/** True when a server of this very folder answers; one that is starting up or recovering gets time. */
const answers = async (settings: Settings, data: string): Promise<boolean> => {
  for (let tries = 0; tries < START_SECONDS; tries++) {
    const client = new pg.Client({ connectionString: urlOf(settings, 'postgres'), connectionTimeoutMillis: 2_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
      if (rows[0]?.data_directory !== data) return false
      await ensureDatabase(settings)
      return true
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : ''
      if (code !== STARTING_UP) return false
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    } finally {
      await client.end().catch(() => {})
    }
  }
  return false
}

/** SQLSTATE cannot_connect_now. */
const STARTING_UP = '57P03'

/**
 * Whose the number in `postmaster.pid` is. A dead one is left to PostgreSQL, which knows what to do; a number that was
 * given to another program since would block the start for ever, and that program must not be signalled.
 */
const ownerOf = async (data: string): Promise<'server' | 'stranger' | 'nobody'> => {
  const pid = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0] ?? ''
  if (!/^\d+$/.test(pid)) return 'nobody'
  const command = await commandOf(pid)
  if (command === '') return 'nobody'
  return command.includes(data) ? 'server' : 'stranger'
}

const commandOf = async (pid: string): Promise<string> => {
  const linux = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null)
  if (linux !== null) return linux
  const listed = await run('ps', ['-p', pid, '-o', 'command=']).catch(() => null)
  return listed?.code === 0 ? listed.output.trim() : ''
}

const ensureDatabase = async (settings: Settings): Promise<void> => {
  const client = new pg.Client({ connectionString: urlOf(settings, 'postgres') })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
  } finally {
    await client.end()
  }
}

const lastWords = async (log: string, output: string): Promise<string> => {
  const text = await readFile(log, 'utf8').catch(() => output)
  const lines = text.trim().split('\n')
  return lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? 'no reason given'
}
