import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { StartRefused } from '../../config/config.ts'

/** The system user that a program runs as; empty = this process's own. */
export interface RunAs {
  readonly uid?: number
  readonly gid?: number
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
    const child = spawn(program, args, {
      ...as,
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
