import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { StartRefused } from '../../config/config.ts'

/**
 * The system user that a program runs as; empty = this process's own. `reaching`: it may also read and pass through folders of others,
 * for a checkout or a data folder in a home that only root can enter.
 */
export interface RunAs {
  readonly uid?: number
  readonly gid?: number
  readonly reaching?: boolean
}

export interface Ran {
  readonly code: number
  readonly output: string
}

/** Bytes of a program's output that are kept for its error. */
const KEPT = 16_384

/** Runs a program to its end. It gets no input and a plain locale. */
export const run = (program: string, args: readonly string[], as: RunAs = {}): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const { reaching = false, ...user } = as
    const [file, ...words] = reaching ? [...setpriv(user), program, ...args] : [program, ...args]
    const child = spawn(file ?? program, words, {
      ...(reaching ? {} : user),
      cwd: '/',
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    let output = ''
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-KEPT)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', reject)
    child.once('exit', (code) => resolve({ code: code ?? 1, output }))
  })

/** The one capability that lets a user pass where only root may: reading and entering, never writing. */
const setpriv = (user: { readonly uid?: number; readonly gid?: number }): string[] => [
  'setpriv',
  `--reuid=${user.uid}`,
  `--regid=${user.gid}`,
  '--clear-groups',
  '--inh-caps=+dac_read_search',
  '--ambient-caps=+dac_read_search',
]

/** The same user, able to reach all of `paths`: where a folder on the way is closed to it, with leave to pass. */
export const ableToReach = async (user: RunAs, paths: readonly string[]): Promise<RunAs> => {
  if (user.uid === undefined) return user
  for (const path of paths)
    if ((await run('test', ['-r', path], user).catch(() => null))?.code !== 0) return { ...user, reaching: true }
  return user
}

/** PostgreSQL refuses to run as root: then it runs as `postgres`, which is made where it is missing. */
export const postgresUser = async (): Promise<RunAs> => {
  if (process.getuid?.() !== 0) return {}
  const found = await lookUp()
  if (found !== null) return found
  const made = await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']).catch(() => null)
  const user = made?.code === 0 ? await lookUp() : null
  if (user === null)
    throw new StartRefused(
      'PostgreSQL does not run as root and the user "postgres" could not be made: start as another user, or set DATABASE_URL.',
    )
  return user
}

const lookUp = async (): Promise<RunAs | null> => {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const [, , uid, gid] = passwd.match(/^postgres:.*$/m)?.[0].split(':') ?? []
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) }
}
