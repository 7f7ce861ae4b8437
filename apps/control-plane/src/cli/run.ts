import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import type { Readable } from 'node:stream'
import { createOperatorSchema } from '@weir/api'
import { hashPassword } from 'better-auth/crypto'
import { PrismaOperatorStore } from '../adapters/prisma/access-operators.ts'
import { PrismaSignInLinkStore } from '../adapters/prisma/access-sign-in-links.ts'
import { PrismaTokenStore } from '../adapters/prisma/access-tokens.ts'
import type { Database } from '../adapters/prisma/database.ts'
import { type Config, readConfig, StartRefused } from '../config/config.ts'
import { Operators } from '../features/access/operators.ts'
import { SignInLinks, signInLink } from '../features/access/sign-in-link.ts'
import { Tokens } from '../features/access/tokens.ts'
import { withDatabase } from './open.ts'
import { originFor } from './origin.ts'
import { type Command, parseCommand, USAGE } from './parse.ts'

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly input: Readable
  /** Results: standard output. */
  readonly print: (line: string) => void
  /** Everything else: standard error. */
  readonly tell: (line: string) => void
}

/** Exit codes: done; refused, or the database cannot be used; the words were not understood. */
const DONE = 0
const REFUSED = 1
const MISUSED = 2

/** Runs the command that the words after `weir` ask for; returns the exit code. */
export const runCommand = async (words: readonly string[], surroundings: Surroundings): Promise<number> => {
  const { environment, cwd, print, tell } = surroundings
  const parsed = parseCommand(words)
  if (!parsed.ok) {
    tell(`weir: ${parsed.problem}\n\n${USAGE}`)
    return MISUSED
  }
  if (parsed.command.kind === 'help') {
    print(USAGE)
    return DONE
  }
  try {
    const config = readConfig(environment, cwd)
    await withDatabase(config, await prepare(parsed.command, surroundings, config))
    return DONE
  } catch (error) {
    tell(`weir: ${error instanceof Error ? error.message : String(error)}`)
    return REFUSED
  }
}

type Act = (database: Database) => Promise<void>

/** Reads what the command needs before a database is opened for it. */
const prepare = async (command: Exclude<Command, { kind: 'help' }>, at: Surroundings, config: Config): Promise<Act> => {
  const actor = `command line (${userInfo().username})`
  const operators = (database: Database) => new Operators(new PrismaOperatorStore(database), hashPassword)
  switch (command.kind) {
    case 'operator-create': {
      const password = await readPassword(at.input)
      return async (database) => {
        const { name, email, role } = command
        const made = await operators(database).create({ name, email, role, password }, actor)
        if (!made.ok) throw new StartRefused(made.refusal.detail)
        at.tell(`weir: ${made.value.email} may sign in as ${made.value.role}.`)
      }
    }
    case 'operator-reset': {
      const password = await readPassword(at.input)
      return async (database) => {
        const reset = await operators(database).resetPassword(command.email, password, actor)
        if (!reset.ok) throw new StartRefused(reset.refusal.detail)
        at.tell(`weir: ${reset.value.email} has a new password; every session of theirs has ended.`)
      }
    }
    case 'operator-sign-in-link': {
      const origin = originFor(command.origin, config)
      return (database) => link(command, database, { origin, actor, at })
    }
    case 'token-create':
      return async (database) => {
        const made = await new Tokens(new PrismaTokenStore(database), Date.now).create(command, actor)
        if (!made.ok) throw new StartRefused(made.refusal.detail)
        at.print(made.value.secret)
      }
  }
}

type LinkCommand = Extract<Command, { kind: 'operator-sign-in-link' }>

const link = async (
  { email, create }: LinkCommand,
  database: Database,
  { origin, actor, at }: { readonly origin: string; readonly actor: string; readonly at: Surroundings },
): Promise<void> => {
  const links = new SignInLinks(new PrismaSignInLinkStore(database), Date.now)
  let made = await links.make(email, actor)
  if (!made.ok && made.refusal.code === 'not-found' && create !== null) {
    const operators = new Operators(new PrismaOperatorStore(database), hashPassword)
    const operator = await operators.create({ email, ...create, password: unknownPassword() }, actor)
    if (!operator.ok) throw new StartRefused(operator.refusal.detail)
    made = await links.make(email, actor)
  }
  if (!made.ok) throw new StartRefused(made.refusal.detail)
  const { token, operator } = made.value
  at.print(signInLink(origin, token))
  at.tell(`weir: the link signs ${operator.email} in as ${operator.role}, once, within ten minutes.`)
}

/** Kept by nobody: the operator comes by a link, or gets a password with "operator reset". */
const unknownPassword = (): string => randomBytes(32).toString('base64url')

const MAX_INPUT = 1_024

/** The first line of standard input. */
const readPassword = async (input: Readable): Promise<string> => {
  let text = ''
  for await (const chunk of input) {
    text += String(chunk)
    if (text.length > MAX_INPUT || text.includes('\n')) break
  }
  const read = createOperatorSchema.shape.password.safeParse(text.split(/\r?\n/)[0])
  if (read.success) return read.data
  throw new StartRefused(read.error.issues.map((issue) => issue.message).join(' '))
}
