import { randomBytes } from 'node:crypto'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { MODES, type Mode } from '@weir/policy/model'

/** Everything is optional: what is missing or wrong is reported, and the process runs on the next best. */
export interface WeirOptions {
  /** Expected name of the service. The key decides; a difference is reported. */
  readonly service?: string
  /** Expected environment. The key decides; a difference is reported. */
  readonly environment?: string
  /** `wss://host:port`. Default: `WEIR_CONTROL_PLANE`. Without one the agent runs on its bootstrap file or on the built-in policy. */
  readonly controlPlane?: string
  /** The agent key. Default: `WEIR_KEY`. */
  readonly key?: string
  /**
   * Secret of the environment, 32 to 512 visible characters, the same in all its processes: by it they believe each other's context headers. Several,
   * separated by commas: the first seals, all are believed. Default: `WEIR_CONTEXT_KEY`; else nobody's are believed but whom the host authenticated.
   */
  readonly contextKey?: string
  /**
   * Secret of the environment, 32 to 512 visible characters: figures and spans then name tenants by a hash under it. Default: `WEIR_TENANT_KEY`; else by
   * their names.
   */
  readonly tenantKey?: string
  /** Unique in the fleet, at most 128 characters. Default: host, process and a random part. */
  readonly instance?: string
  readonly zone?: string
  /** Folder of the policy snapshot; `false`: none. Default: a folder of this user below the temporary one. */
  readonly snapshotDir?: string | false
  /** A policy document, YAML or JSON, for a first start without a control plane. */
  readonly bootstrapFile?: string
  /** `own` exports over OTLP (default), `host` hands the figures to the host's OpenTelemetry SDK, `off` counts for reports only. */
  readonly telemetry?: 'own' | 'host' | 'off'
  /** Base URL of an OTLP/HTTP endpoint. Default: the control plane's origin. The key is sent to the control plane's origin only. */
  readonly otlpEndpoint?: string
  /** The one error sink. Silent by default. */
  readonly onError?: (error: unknown, where: string) => void
  /** Beats the mode of every policy. `WEIR_MODE` beats this. */
  readonly mode?: Mode
  /** Allows a plain `ws:` control plane beyond loopback: the key crosses the network readable. Default `false`. */
  readonly allowInsecure?: boolean
}

export interface Settings {
  readonly service: string | null
  readonly environment: string | null
  /** `null`: no control plane. */
  readonly link: { readonly socketOrigin: string; readonly httpOrigin: string; readonly key: string } | null
  /** The first seals. */
  readonly contextKeys: readonly string[]
  /** By which tenants are told; `null`: by their names. */
  readonly tenantKey: string | null
  readonly instance: string
  readonly zone: string | null
  readonly snapshots: { readonly directory: string; readonly privately: boolean } | null
  readonly bootstrapFile: string | null
  readonly telemetry: 'own' | 'host' | 'off'
  /** Base URL of where figures and spans go; `key` is `null` where the endpoint is not the control plane's. */
  readonly otlp: { readonly base: string; readonly key: string | null } | null
  readonly mode: Mode | null
}

const MAX_ID = 128
const MAX_KEY = 512
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/

const SECRET = /^[\x21-\x7e]{32,512}$/

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/** Checks the options and the environment once, at the door. Never throws: every problem is a sentence, and the rest is used. */
export const readOptions = (
  given: WeirOptions,
  env: Readonly<Record<string, string | undefined>>,
): { settings: Settings; problems: string[] } => {
  const problems: string[] = []
  const text = (name: string, value: unknown): string | null => {
    if (value === undefined || value === null || value === '') return null
    if (typeof value === 'string' && value.length <= MAX_ID && value.isWellFormed() && !CONTROL.test(value))
      return value
    problems.push(`${name} must be text of at most ${MAX_ID} characters without control characters; it is ignored.`)
    return null
  }
  const oneOf = <T extends string>(name: string, value: unknown, allowed: readonly T[]): T | null => {
    if (value === undefined || value === '') return null
    const found = allowed.find((word) => word === value)
    if (found === undefined) problems.push(`${name} must be one of ${allowed.join(', ')}; it is ignored.`)
    return found ?? null
  }
  const link = readLink(given, env, problems)
  const telemetry = oneOf('telemetry', given.telemetry, ['own', 'host', 'off']) ?? 'own'
  return {
    settings: {
      service: text('service', given.service),
      environment: text('environment', given.environment),
      link,
      contextKeys: readContextKeys(given.contextKey ?? env.WEIR_CONTEXT_KEY, problems),
      tenantKey: readTenantKey(given.tenantKey ?? env.WEIR_TENANT_KEY, problems),
      instance: text('instance', given.instance) ?? defaultInstance(),
      zone: text('zone', given.zone),
      snapshots: readSnapshots(given.snapshotDir, problems),
      bootstrapFile: typeof given.bootstrapFile === 'string' ? given.bootstrapFile : null,
      telemetry,
      otlp: telemetry === 'own' ? readOtlp(given.otlpEndpoint, link, problems) : null,
      mode: oneOf('WEIR_MODE', env.WEIR_MODE, MODES) ?? oneOf('mode', given.mode, MODES),
    },
    problems,
  }
}

const readContextKeys = (given: unknown, problems: string[]): readonly string[] => {
  if (given === undefined || given === '') return []
  const keys = typeof given === 'string' ? given.split(',') : []
  if (keys.length > 0 && keys.length <= 4 && keys.every((key) => SECRET.test(key))) return keys
  problems.push('contextKey must be one to four secrets of 32 to 512 visible characters; nobody is believed by it.')
  return []
}

/** One that is wrong is replaced by one that nobody knows: names are not told by mistake. */
const readTenantKey = (given: unknown, problems: string[]): string | null => {
  if (given === undefined || given === '') return null
  if (typeof given === 'string' && SECRET.test(given)) return given
  problems.push(
    'tenantKey must be a secret of 32 to 512 visible characters; tenants are told by hashes of this process alone.',
  )
  return randomBytes(32).toString('hex')
}

const defaultInstance = (): string =>
  `${hostname().slice(0, 80) || 'host'}-${process.pid}-${randomBytes(4).toString('hex')}`

const readSnapshots = (given: unknown, problems: string[]): Settings['snapshots'] => {
  if (given === false) return null
  if (typeof given === 'string' && given !== '') return { directory: given, privately: false }
  if (given !== undefined) problems.push('snapshotDir must be a folder or false; the default is used.')
  return { directory: join(tmpdir(), `weir-${process.getuid?.() ?? userInfo().username}`), privately: true }
}

const readLink = (
  given: WeirOptions,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): Settings['link'] => {
  const address = given.controlPlane ?? env.WEIR_CONTROL_PLANE
  const key = given.key ?? env.WEIR_KEY
  const without = (why: string): null => {
    problems.push(`${why} Weir runs without a control plane.`)
    return null
  }
  if (address === undefined || address === '') return without('No controlPlane is given.')
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key) || key.length > MAX_KEY)
    return without('The key is missing or is not plain text without spaces.')
  if (!URL.canParse(address)) return without('controlPlane is not a URL such as wss://weir.example:443.')
  const url = new URL(address)
  const secure = url.protocol === 'wss:' || url.protocol === 'https:'
  if (!secure && url.protocol !== 'ws:' && url.protocol !== 'http:')
    return without('controlPlane must begin with wss:// or ws://.')
  if (!secure && given.allowInsecure !== true && !isLoopback(url.hostname))
    return without(
      `${url.protocol}//${url.host} would send the key readable over the network: use wss://, or state allowInsecure.`,
    )
  return {
    socketOrigin: `${secure ? 'wss' : 'ws'}://${url.host}`,
    httpOrigin: `${secure ? 'https' : 'http'}://${url.host}`,
    key,
  }
}

const readOtlp = (given: unknown, link: Settings['link'], problems: string[]): Settings['otlp'] => {
  if (given === undefined || given === '') return link === null ? null : { base: link.httpOrigin, key: link.key }
  if (typeof given === 'string' && URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) {
    const url = new URL(given)
    return {
      base: `${url.origin}${url.pathname.replace(/\/$/, '')}`,
      key: url.origin === link?.httpOrigin ? link.key : null,
    }
  }
  problems.push('otlpEndpoint must be an http(s) URL; no figures are exported.')
  return null
}
