/** Where Redis is, by REDIS_URL. */
export interface RedisTarget {
  readonly kind: 'single' | 'sentinel' | 'cluster'
  readonly tls: boolean
  /** The server; or the sentinels, or some nodes of the cluster: the others are asked for. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  readonly username: string | null
  readonly password: string | null
  /** Number of the database; 0 in a cluster. */
  readonly db: number
  /** Name of the master that the sentinels watch; empty elsewhere. */
  readonly name: string
  /** Of the sentinels themselves, `?sentinelPassword=`. */
  readonly sentinelPassword: string | null
}

export const REDIS_FORMS =
  'redis://[user:password@]host[:6379][/database], rediss:// for TLS, redis+sentinel://host[:26379],…/master[/database], redis+cluster://host[:6379],… (each also as rediss+…)'

const SHAPE = /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?]*)@)?([^/?#@]+)(\/[^?#]*)?(?:\?([^#]*))?$/
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i
const PORTS = { single: 6_379, sentinel: 26_379, cluster: 6_379 } as const
const MOST_DATABASES = 1_024

/** Throws an `Error` whose message is one sentence, without the password. */
export const redisTarget = (url: string): RedisTarget => {
  const [, secure, named, user, places = '', path = '', query = ''] = SHAPE.exec(url) ?? fail(`Write ${REDIS_FORMS}.`)
  const kind = (named ?? 'single') as RedisTarget['kind']
  const hosts = places.split(',').map((place) => hostOf(place, PORTS[kind]))
  if (kind === 'single' && hosts.length > 1)
    fail('Several hosts are sentinels or a cluster: redis+sentinel://, redis+cluster://.')
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  const name =
    kind === 'sentinel'
      ? (parts.shift() ?? fail('Name the master after the sentinels: redis+sentinel://host/master.'))
      : ''
  const db = parts.shift() ?? '0'
  if (parts.length > 0 || !/^\d{1,4}$/.test(db) || Number(db) >= MOST_DATABASES)
    fail(`/${db} is no number of a database.`)
  if (kind === 'cluster' && db !== '0') fail('A cluster has no numbered databases.')
  const colon = user?.indexOf(':') ?? -1
  const [username, password] =
    user === undefined ? ['', ''] : colon < 0 ? [user, ''] : [user.slice(0, colon), user.slice(colon + 1)]
  return {
    kind,
    tls: secure === 's',
    hosts,
    username: decoded(username) || null,
    password: decoded(password) || null,
    db: Number(db),
    name,
    sentinelPassword: sentinelPasswordOf(kind, query),
  }
}

const fail = (why: string): never => {
  throw new Error(why)
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return fail('User, password and names are percent-encoded.')
  }
}

const hostOf = (place: string, usual: number): { host: string; port: number } => {
  const [, host = '', port = String(usual)] = HOST.exec(place) ?? fail(`${place} is no host[:port].`)
  if (Number(port) < 1 || Number(port) > 65_535) fail(`${place} has no port from 1 to 65535.`)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

const sentinelPasswordOf = (kind: RedisTarget['kind'], query: string): string | null => {
  const given = new URLSearchParams(query)
  for (const name of given.keys())
    if (kind !== 'sentinel' || name !== 'sentinelPassword') fail(`?${name}= is not known here.`)
  return given.get('sentinelPassword')
}
