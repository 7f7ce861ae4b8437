import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OperatorStore } from './operators.ts'
import { makeSetupToken, SETUP_VALID_MS, setupLink } from './setup-link.ts'

export interface Announcement {
  /** Where the dashboard is, as a browser reaches it. */
  readonly baseUrl: string
  readonly dataFolder: string
  /** Whether a person reads what is printed. Otherwise it may end in a log that many can read. */
  readonly terminal: boolean
  readonly print: (line: string) => void
  /** Time of day, ms. */
  readonly now: () => number
}

const FILE = 'setup-link'

/**
 * At the start: while there is no operator, makes a set-up link and shows it once, on the terminal or else in a file
 * that only its owner may read. With an operator, removes a file that was left. Returns whether a link was made.
 */
export const announceSetup = async (
  store: Pick<OperatorStore, 'keepSetupToken'>,
  { baseUrl, dataFolder, terminal, print, now }: Announcement,
): Promise<boolean> => {
  const file = join(dataFolder, FILE)
  const { secret, hash } = makeSetupToken()
  const made = await store.keepSetupToken(hash, new Date(now() + SETUP_VALID_MS))
  if (!made) {
    await rm(file, { force: true })
    return false
  }
  const link = setupLink(baseUrl, secret)
  if (terminal) {
    print(`weir: make the first operator within an hour: ${link}`)
    return true
  }
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  await rm(file, { force: true })
  await writeFile(file, `${link}\n`, { mode: 0o600, flag: 'wx' })
  await chmod(file, 0o600)
  print(`weir: make the first operator within an hour: the link is in ${file}`)
  return true
}
