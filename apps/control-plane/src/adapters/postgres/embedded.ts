import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { StartRefused } from '../../config/config.ts'
import { postgresBinaries } from './binaries.ts'
import { ableToReach, postgresUser, type RunAs, run } from './run.ts'

/** A PostgreSQL server over a folder. `stop` ends it; leaving it running is safe, the next start takes it over. */
export interface EmbeddedPostgres {
  readonly url: string
  readonly takenOver: boolean
  stop(): Promise<void>
}

interface Settings {
  readonly port: number
  readonly password: string
}

const DATABASE = 'weir'
const START_SECONDS = 60

/**
 * Starts PostgreSQL in `folder`, or takes over the one that runs there (its parent may have been killed). Two
 * servers never share a folder: `postmaster.pid` is PostgreSQL's own guard, and this looks at it first.
 * The password is random and stays in the folder, readable by its owner only; the server listens on loopback.
 */
export const startEmbeddedPostgres = async (folder: string): Promise<EmbeddedPostgres> => {
  const owner = await postgresUser()
  await prepareFolder(folder, owner)
  const data = join(folder, 'data')
  const binaries = await postgresBinaries()
  const user = await ableToReach(owner, [folder, binaries.initdb])
  const saved = await readSettings(folder)
  const stop = async () => {
    await run(binaries.pgCtl, ['stop', '-D', data, '-m', 'fast', '-w', '-t', '30'], user)
  }
  if (saved !== null && (await exists(join(data, 'postmaster.pid')))) {
    if (await answers(saved, data)) return { url: urlOf(saved), takenOver: true, stop }
    await stop()
    await dropStalePid(data)
  }
  if (!(await exists(data))) await create(folder, data, binaries.initdb, user)
  const password = (await readSettings(folder))?.password
  if (password === undefined)
    throw new StartRefused(`${folder} has a database but no settings.json: restore or remove it.`)
  const settings = { password, port: await usablePort(saved?.port ?? 0) }
  await writeSettings(folder, settings)
  const log = join(folder, 'server.log')
  await rm(log, { force: true })
  const options = `-p ${settings.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c shared_buffers=32MB -c max_connections=100`
  const started = await run(
    binaries.pgCtl,
    ['start', '-D', data, '-l', log, '-w', '-t', String(START_SECONDS), '-o', options],
    user,
  )
  if (started.code !== 0)
    throw new StartRefused(`The built-in PostgreSQL did not start: ${await lastWords(log, started.output)}`)
  await ensureDatabase(settings)
  return { url: urlOf(settings), takenOver: false, stop }
}

const urlOf = (settings: Settings, database = DATABASE) =>
  `postgresql://weir:${settings.password}@127.0.0.1:${settings.port}/${database}`

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

const prepareFolder = async (folder: string, user: RunAs): Promise<void> => {
  try {
    await mkdir(folder, { recursive: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new StartRefused(
        `${folder} cannot be made: a file is in the way. Move it, or set WEIR_DATA to another folder.`,
      )
    throw new StartRefused(`${folder} cannot be made (${code}): set WEIR_DATA to a folder that can be written.`)
  }
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid)
  await chmod(folder, 0o700)
}

const settingsFile = (folder: string) => join(folder, 'settings.json')

const readSettings = async (folder: string): Promise<Settings | null> => {
  const text = await readFile(settingsFile(folder), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    if (value !== null && typeof value === 'object' && 'port' in value && 'password' in value)
      return { port: Number(value.port), password: String(value.password) }
  } catch {}
  return null
}

const writeSettings = async (folder: string, settings: Settings): Promise<void> => {
  const file = settingsFile(folder)
  await writeFile(`${file}.new`, JSON.stringify(settings), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

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

/** A `postmaster.pid` that names no living PostgreSQL (its number was given to another program) would block the start. */
const dropStalePid = async (data: string): Promise<void> => {
  const file = join(data, 'postmaster.pid')
  const pid = (await readFile(file, 'utf8').catch(() => '')).split('\n')[0] ?? ''
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null)
  if (command !== null && !command.includes('postgres')) await rm(file, { force: true })
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

/** The wanted port where it is free, else any free one. */
const usablePort = async (wanted: number): Promise<number> => {
  const probe = (port: number) =>
    new Promise<number | null>((resolve) => {
      const server = createServer()
      server.once('error', () => resolve(null))
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : null))
      })
    })
  const port = (await probe(wanted)) ?? (await probe(0))
  if (port === null) throw new StartRefused('No free port on 127.0.0.1 for the built-in PostgreSQL.')
  return port
}

const lastWords = async (log: string, output: string): Promise<string> => {
  const text = await readFile(log, 'utf8').catch(() => output)
  const lines = text.trim().split('\n')
  return lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? 'no reason given'
}
