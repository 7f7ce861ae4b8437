import { parseArgs } from 'node:util'
import { createOperatorSchema, createTokenSchema, type Role, roleSchema } from '@weir/api'
import { z } from 'zod'

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'operator-create'; readonly name: string; readonly email: string; readonly role: Role }
  | { readonly kind: 'operator-reset'; readonly email: string }
  | {
      readonly kind: 'token-create'
      readonly name: string
      readonly role: Role
      readonly expiresInDays: number | null
    }

export type Parsed = { readonly ok: true; readonly command: Command } | { readonly ok: false; readonly problem: string }

export const USAGE = `weir operator create --email <address> --name <name> --role viewer|editor|admin --password-stdin
weir operator reset --email <address> --password-stdin
weir token create --name <name> --role viewer|editor|admin [--expires-in-days <days>|never]

A password is read from standard input, never from the command line, which others can see.
"token create" prints the secret, and nothing else, on standard output; it is shown once and kept nowhere.
The database is that of DATABASE_URL, else the built-in one under WEIR_DATA (.weir), whether the control plane runs or not.`

const OPTIONS = {
  email: { type: 'string' },
  name: { type: 'string' },
  role: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  'expires-in-days': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

const days = z
  .literal('never')
  .transform(() => null)
  .or(z.coerce.number().pipe(z.int().min(1).max(3650)))
  .default(90)

const passwordStdin = z.literal(true, 'is needed: give the password on standard input.')
const created = createOperatorSchema.omit({ password: true }).extend({ 'password-stdin': passwordStdin })
const COMMANDS = {
  'operator create': created.transform(({ name, email, role }) => ({
    kind: 'operator-create' as const,
    name,
    email,
    role,
  })),
  'operator reset': z
    .strictObject({ email: createOperatorSchema.shape.email, 'password-stdin': passwordStdin })
    .transform(({ email }) => ({ kind: 'operator-reset' as const, email })),
  'token create': z
    .strictObject({ name: createTokenSchema.shape.name, role: roleSchema, 'expires-in-days': days })
    .transform(({ name, role, ...rest }) => ({
      kind: 'token-create' as const,
      name,
      role,
      expiresInDays: rest['expires-in-days'],
    })),
}

/** What the words after `weir` ask for; every problem is in one sentence. */
export const parseCommand = (words: readonly string[]): Parsed => {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true })
    if (values.help === true || positionals[0] === 'help') return { ok: true, command: { kind: 'help' } }
    const name = positionals.join(' ')
    const schema = Object.entries(COMMANDS).find(([command]) => command === name)?.[1]
    if (schema === undefined)
      return { ok: false, problem: name === '' ? 'What shall be done?' : `There is no command "${name}".` }
    const read = schema.safeParse(values)
    if (read.success) return { ok: true, command: read.data }
    return { ok: false, problem: read.error.issues.map(sentence).join(' ') }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
}

const sentence = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'unrecognized_keys') return `--${issue.keys.join(', --')} does not belong to this command.`
  return `--${issue.path.join('.')}: ${issue.message}`
}
