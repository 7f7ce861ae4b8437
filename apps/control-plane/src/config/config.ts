import { resolve } from 'node:path'
import { z } from 'zod'
import { type AddressRange, rangeOf } from './address-range.ts'
import { type MetricsTarget, metricsTarget } from './outcomes-url.ts'
import { type RedisTarget, redisTarget } from './redis-url.ts'

const PORT = 'A port is a whole number from 0 to 65535.'
const port = z.coerce.number(PORT).int(PORT).min(0, PORT).max(65_535, PORT)
const url = (protocols: RegExp) => z.url({ protocol: protocols })
const listed = z
  .string()
  .default('')
  .transform((text) => text.split(',').map((part) => part.trim()))
  .transform((parts) => parts.filter((part) => part !== ''))

const redisOf = (text: string, context: z.RefinementCtx): RedisTarget => {
  try {
    return redisTarget(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error), input: '' })
    return z.NEVER
  }
}

const metricsOf = (setting: string | undefined, writeUrl: string | undefined): MetricsTarget | null => {
  if (setting === undefined || setting === 'postgres') {
    if (writeUrl !== undefined) throw new StartRefused('OUTCOMES_WRITE_URL goes with OUTCOMES=prometheus:<url>.')
    return null
  }
  try {
    return metricsTarget(setting, writeUrl)
  } catch (error) {
    throw new StartRefused(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Every setting of the control plane, by environment variable. An empty value counts as not given.
 * This is the only place that reads the environment.
 */
const environmentSchema = z.object({
  /** Port of everything: REST, sockets, OTLP, dashboard. 0 = any free one. */
  PORT: port.default(7400),
  /** Address to listen on. Anything beyond loopback needs TRUSTED_PROXIES, or TLS by TLS_CERT and TLS_KEY. */
  HOST: z.string().min(1).default('127.0.0.1'),
  /** PostgreSQL to use. Not given: a PostgreSQL of its own, in a folder under WEIR_DATA. */
  DATABASE_URL: url(/^postgres(ql)?$/).optional(),
  /**
   * Redis that several replicas over one PostgreSQL share. Not given: this is the only replica. `redis://` or `rediss://` of one server, of Sentinel
   * (`redis+sentinel://host,host/master`) or of a Cluster (`redis+cluster://host,host`).
   */
  REDIS_URL: z.string().transform(redisOf).optional(),
  /**
   * Where figures are kept: `postgres` (default), or `prometheus:<url>`, a Prometheus-compatible engine whose `/api/v1/query` is under that address, with
   * user and password in it where it wants them.
   */
  OUTCOMES: z.string().optional(),
  /** Where that engine takes remote-write, where it is not `/api/v1/write` under the same address. */
  OUTCOMES_WRITE_URL: z.string().optional(),
  /** Folder for everything that is kept on disk. */
  WEIR_DATA: z.string().min(1).default('.weir'),
  /** Addresses or CIDR ranges, comma-separated, whose X-Forwarded-For and X-Forwarded-Proto are believed. */
  TRUSTED_PROXIES: listed,
  /** Files, PEM. */
  TLS_CERT: z.string().min(1).optional(),
  TLS_KEY: z.string().min(1).optional(),
  /** What operators type into the browser, where it differs from the listening address. */
  PUBLIC_URL: url(/^https?$/).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Where the control plane sends its own traces. */
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?$/).optional(),
  /** Whether the control plane is a service of its own, `control-plane` in the environment `weir`. */
  WEIR_SELF: z.enum(['on', 'off']).default('on'),
  /** Addresses or CIDR ranges, comma-separated, that alerts may be sent to although they are not public; plain http goes to these only. */
  WEIR_PRIVATE_TARGETS: listed.transform((parts, context) =>
    parts.flatMap((part) => {
      const range = rangeOf(part)
      if (range === null) context.addIssue({ code: 'custom', message: `${part} is no address and no CIDR range.` })
      return range === null ? [] : [range]
    }),
  ),
  /** Mail server for alerts: smtps://, or smtp:// with STARTTLS; with user and password in it where it wants them. */
  SMTP_URL: url(/^smtps?$/).optional(),
  /** Sender of those mails. */
  SMTP_FROM: z.string().min(3).max(320).optional(),
  /** Built dashboard; default: the one beside this build. */
  WEIR_DASHBOARD: z.string().min(1).optional(),
})

export interface Config {
  readonly port: number
  readonly host: string
  /** `null`: embedded. */
  readonly databaseUrl: string | null
  /** `null`: this replica is the only one. */
  readonly redis: RedisTarget | null
  /** `null`: figures are kept in PostgreSQL. */
  readonly metrics: MetricsTarget | null
  readonly dataFolder: string
  readonly trustedProxies: readonly string[]
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  readonly publicUrl: string | null
  readonly logLevel: z.infer<typeof environmentSchema>['LOG_LEVEL']
  readonly otlpEndpoint: string | null
  /** Whether the control plane watches itself. */
  readonly self: boolean
  readonly privateTargets: readonly AddressRange[]
  /** `null`: no mail can be sent. */
  readonly mail: { readonly url: string; readonly from: string } | null
  readonly dashboardFolder: string
}

/** Injection token of the settings: `@Inject(CONFIG) config: Config`. */
export const CONFIG = Symbol('config')

/** A start that cannot be: its message is one line that says what to do. */
export class StartRefused extends Error {}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

/** Reads and checks the environment. Throws `StartRefused` with every problem in one line. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>, cwd: string): Config => {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const read = environmentSchema.safeParse(given)
  if (!read.success)
    throw new StartRefused(read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '))
  const e = read.data
  if ((e.TLS_CERT === undefined) !== (e.TLS_KEY === undefined))
    throw new StartRefused('TLS_CERT and TLS_KEY go together: give both or neither.')
  if ((e.SMTP_URL === undefined) !== (e.SMTP_FROM === undefined))
    throw new StartRefused('SMTP_URL and SMTP_FROM go together: give both or neither.')
  const tls = e.TLS_CERT && e.TLS_KEY ? { certFile: resolve(cwd, e.TLS_CERT), keyFile: resolve(cwd, e.TLS_KEY) } : null
  if (!isLoopback(e.HOST) && tls === null && e.TRUSTED_PROXIES.length === 0)
    throw new StartRefused(
      `HOST=${e.HOST} would serve sign-in and keys over plain HTTP beyond this machine: give TLS_CERT and TLS_KEY, or name the proxy that ends TLS in TRUSTED_PROXIES.`,
    )
  return {
    port: e.PORT,
    host: e.HOST,
    databaseUrl: e.DATABASE_URL ?? null,
    redis: e.REDIS_URL ?? null,
    metrics: metricsOf(e.OUTCOMES, e.OUTCOMES_WRITE_URL),
    dataFolder: resolve(cwd, e.WEIR_DATA),
    trustedProxies: e.TRUSTED_PROXIES,
    tls,
    publicUrl: e.PUBLIC_URL ?? null,
    logLevel: e.LOG_LEVEL,
    otlpEndpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
    self: e.WEIR_SELF === 'on',
    privateTargets: e.WEIR_PRIVATE_TARGETS,
    mail: e.SMTP_URL && e.SMTP_FROM ? { url: e.SMTP_URL, from: e.SMTP_FROM } : null,
    dashboardFolder: resolve(cwd, e.WEIR_DASHBOARD ?? new URL('../../../dashboard/dist', import.meta.url).pathname),
  }
}
