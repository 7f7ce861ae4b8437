import { parseArgs } from 'node:util'
import { createOperatorSchema, createTokenSchema, type Role, roleSchema } from '@weir/api'
import { z } from 'zod'

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'operator-create'; readonly name: string; readonly email: string; readonly role: Role }
  | { readonly kind: 'operator-reset'; readonly email: string }
  | {
      readonly kind: 'operator-sign-in-link'
      readonly email: string
      /** Of the operator to make where there is none; `null`: there must be one. */
      readonly create: { readonly name: string; readonly role: Role } | null
      /** Of the dashboard; `null`: as the configuration says. */
      readonly origin: string | null
    }
  | {
      readonly kind: 'token-create'
      readonly name: string
      readonly role: Role
      readonly expiresInDays: number | null
    }

export type Parsed = { readonly ok: true; readonly command: Command } | { readonly ok: false; readonly problem: string }

export const USAGE = `weir operator create --email <address> --name <name> --role viewer|editor|admin --password-stdin
weir operator reset --email <address> --password-stdin
weir operator sign-in-link --email <address> [--create --name <name> --role viewer|editor|admin] [--origin <url>]
weir token create --name <name> --role viewer|editor|admin [--expires-in-days <days>|never]

A password is read from standard input, never from the command line, which others can see.
"operator sign-in-link" prints a link, and nothing else, on standard output: it signs the operator in once, within ten
minutes, and replaces an earlier one. --create makes the operator where there is none, without a password that anybody knows.
The link begins with PUBLIC_URL, else with --origin, else with http://HOST:PORT.
"token create" prints the secret, and nothing else, on standard output; it is shown once and kept nowhere.
The database is that of DATABASE_URL, else the built-in one under WEIR_DATA (.weir), whether the control plane runs or not.`

const OPTIONS = {
  email: { type: 'string' },
  name: { type: 'string' },
  role: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  'expires-in-days': { type: 'string' },
  create: { type: 'boolean' },
  origin: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

const days = z
  .literal('never')
  .transform(() => null)
  .or(z.coerce.number().pipe(z.int().min(1).max(3650)))
  .default(90)

const passwordStdin = z.literal(true, 'is needed: give the password on standard input.')
const created = createOperatorSchema.omit({ password: true }).extend({ 'password-stdin': passwordStdin })

const { email, name, role } = createOperatorSchema.shape
const httpOrigin = z.url({ protocol: /^https?$/, error: 'An origin is such as https://weir.example.' })
const link = { email, origin: httpOrigin.transform((text) => new URL(text).origin).optional() }
const linkToExisting = z.strictObject(link)
const linkToCreated = z.strictObject({ ...link, create: z.literal(true), name, role })
const linkCommand = (to: z.output<typeof linkToExisting>, create: { name: string; role: Role } | null) => ({
  kind: 'operator-sign-in-link' as const,
  email: to.email,
  create,
  origin: to.origin ?? null,
})
const signInLink = linkToExisting.transform((to) => linkCommand(to, null))
const signInLinkCreating = linkToCreated.transform((to) => linkCommand(to, { name: to.name, role: to.role }))

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
  'operator sign-in-link': signInLink,
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
    const schema = schemaOf(name, values.create === true)
    if (schema === undefined)
      return { ok: false, problem: name === '' ? 'What shall be done?' : `There is no command "${name}".` }
    const read = schema.safeParse(values)
    if (read.success) return { ok: true, command: read.data }
    return { ok: false, problem: read.error.issues.map(sentence).join(' ') }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
}

const schemaOf = (name: string, create: boolean) => {
  if (create && name === 'operator sign-in-link') return signInLinkCreating
  return Object.entries(COMMANDS).find(([command]) => command === name)?.[1]
}

const sentence = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'unrecognized_keys') return `--${issue.keys.join(', --')} does not belong to this command.`
  return `--${issue.path.join('.')}: ${issue.message}`
}
