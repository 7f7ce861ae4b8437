import { chmod, chown, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { StartRefused } from '../../config/config.ts'
import type { RunAs } from './run.ts'

/** What is kept beside the data: where the server listens, and its password. */
export interface Settings {
  readonly port: number
  readonly password: string
}

export const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Makes the folder, its owner's alone; returns its real path. */
export const prepareFolder = async (folder: string, user: RunAs): Promise<string> => {
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
  return realpath(folder)
}

const settingsFile = (folder: string) => join(folder, 'settings.json')

export const readSettings = async (folder: string): Promise<Settings | null> => {
  const text = await readFile(settingsFile(folder), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    if (value !== null && typeof value === 'object' && 'port' in value && 'password' in value)
      return { port: Number(value.port), password: String(value.password) }
  } catch {}
  return null
}

export const writeSettings = async (folder: string, settings: Settings): Promise<void> => {
  const file = settingsFile(folder)
  await writeFile(`${file}.new`, JSON.stringify(settings), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** The wanted port where it is free, else any free one. */
export const usablePort = async (wanted: number): Promise<number> => {
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
