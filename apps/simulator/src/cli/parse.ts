import { parseArgs } from 'node:util'
import { nameSchema } from '@weir/api'
import { z } from 'zod'

export interface Command {
  /** File of the policy to try. */
  readonly policy: string
  /** File of the policy that it is compared with; `null`: none, or the service's live one. */
  readonly against: string | null
  /** File of tenants' quotas; `null`: none, or the service's. */
  readonly quotas: string | null
  readonly from:
    | { readonly kind: 'file'; readonly traffic: string }
    | {
        readonly kind: 'service'
        readonly service: string
        readonly environment: string | null
        readonly seconds: number
      }
  readonly instances: number | null
  readonly seed: number
  /** Where the traffic that was fetched is kept. */
  readonly save: string | null
  readonly json: boolean
}

export type Parsed =
  | { readonly ok: true; readonly command: Command | 'help' }
  | { readonly ok: false; readonly problem: string }

export const USAGE = `npm run simulate -- --policy <file> --traffic <file> [options]
npm run simulate -- --policy <file> --service <name> [--environment <name>] [--last 1h] [options]

Plays traffic against a policy: the agent's own gates on virtual time, and a model of the service behind them.

--policy <file>       the policy to try, YAML or JSON
--traffic <file>      traffic as a document or as lines of arrivals: docs/simulating.md
--service <name>      traffic of this service, as a control plane has it, with its quotas and its live policy
--environment <name>  needed where there are several
--last <time>         how much of it, 60s to 24h; default 1h
--against <file>      compares with this policy; default with --service: the live one
--quotas <file>       tenants' quotas, JSON: {"<resource>": {"<tenant>": {"rate": 10}}}
--instances <n>       as if so many processes shared the traffic
--seed <n>            another draw of chance; default 1
--save <file>         keeps the traffic that was fetched
--json                prints the prediction as JSON and nothing else

A control plane is found at WEIR_URL, by default http://127.0.0.1:7400; WEIR_TOKEN is an API token of it, a viewer's is enough.
Exit code 1: it could not be done; 2: the command, the policy or the traffic is not right.`

const OPTIONS = {
  policy: { type: 'string' },
  traffic: { type: 'string' },
  service: { type: 'string' },
  environment: { type: 'string' },
  last: { type: 'string' },
  against: { type: 'string' },
  quotas: { type: 'string' },
  instances: { type: 'string' },
  seed: { type: 'string' },
  save: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const SECONDS_OF = { s: 1, m: 60, h: 3_600 } as const
const TIME = 'A time is such as 90s, 15m or 1h, from 60s to 24h.'
const lastSchema = z
  .string()
  .regex(/^\d{1,6}[smh]$/, TIME)
  .transform((text) => Number.parseInt(text, 10) * SECONDS_OF[text.at(-1) as keyof typeof SECONDS_OF])
  .pipe(z.number(TIME).min(60, TIME).max(86_400, TIME))

const file = z.string().min(1)
const whole = (least: number, most: number) => z.coerce.number().pipe(z.int().min(least).max(most))
const common = {
  policy: file,
  against: file.optional(),
  quotas: file.optional(),
  instances: whole(1, 10_000).optional(),
  seed: whole(0, 2 ** 31 - 1).default(1),
  json: z.boolean().default(false),
}
const fromFile = z.strictObject({ ...common, traffic: file })
const fromService = z.strictObject({
  ...common,
  service: nameSchema,
  environment: nameSchema.optional(),
  last: lastSchema.default(3_600),
  save: file.optional(),
})

/** What the words after the command ask for; every problem is in one sentence. */
export const parseCommand = (words: readonly string[]): Parsed => {
  let values: ReturnType<typeof parsed>
  try {
    values = parsed(words)
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
  if (values.help === true) return { ok: true, command: 'help' }
  if ((values.traffic === undefined) === (values.service === undefined))
    return { ok: false, problem: 'Give --traffic or --service: one of the two says what to play.' }
  const read = values.service === undefined ? fromFile.safeParse(values) : fromService.safeParse(values)
  if (!read.success) return { ok: false, problem: read.error.issues.map(sentence).join(' ') }
  const { policy, against = null, quotas = null, instances = null, seed, json } = read.data
  const rest = { policy, against, quotas, instances, seed, json }
  if ('traffic' in read.data)
    return { ok: true, command: { ...rest, from: { kind: 'file', traffic: read.data.traffic }, save: null } }
  const { service, environment = null, last, save = null } = read.data
  return { ok: true, command: { ...rest, from: { kind: 'service', service, environment, seconds: last }, save } }
}

const parsed = (words: readonly string[]) => parseArgs({ args: [...words], options: OPTIONS }).values

const sentence = (issue: z.core.$ZodIssue): string =>
  issue.code === 'unrecognized_keys'
    ? `--${issue.keys.join(', --')} does not belong to this command.`
    : `--${issue.path.join('.')}: ${issue.message}`
