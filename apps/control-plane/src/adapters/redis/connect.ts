import { Cluster, Redis } from 'ioredis'
import type { RedisTarget } from '../../config/redis-url.ts'

export type RedisClient = Redis | Cluster

/** A command that is not answered for so long is none; who asked asks again. */
const COMMAND_MS = 1_000
const CONNECT_MS = 2_000
/** A connection that owes an answer for so long is dead: cut it and make another. */
const SILENT_MS = 4_000
const FIRST_RETRY_MS = 50
const LONGEST_RETRY_MS = 1_000

const retryMs = (attempt: number): number => Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10))

/**
 * A connection that comes back by itself. While there is none a command fails at once, and none is ever sent again: a question that was
 * asked of a server before its restart must not be answered by the one after it.
 */
export const connect = (target: RedisTarget, onTrouble: (error: unknown) => void): RedisClient => {
  const client = target.kind === 'cluster' ? cluster(target) : single(target)
  client.on('error', onTrouble)
  return client
}

const shared = ({ username, password, db, tls }: RedisTarget) => ({
  ...(username === null ? {} : { username }),
  ...(password === null ? {} : { password }),
  ...(tls ? { tls: {} } : {}),
  db,
  commandTimeout: COMMAND_MS,
  connectTimeout: CONNECT_MS,
  socketTimeout: SILENT_MS,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  // A master that became a replica: connect anew, to the one that is master now.
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
})

const single = (target: RedisTarget): Redis => {
  const options = { ...shared(target), enableOfflineQueue: false, retryStrategy: retryMs }
  const { hosts, name, sentinelPassword, tls } = target
  if (target.kind === 'single') return new Redis({ ...options, ...hosts[0] })
  return new Redis({
    ...options,
    sentinels: [...hosts],
    name,
    sentinelRetryStrategy: retryMs,
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    // The sentinels' and the server's: ioredis takes either apart.
    enableTLSForSentinelMode: tls,
    ...(tls ? { sentinelTLS: {} } : {}),
  })
}

const cluster = (target: RedisTarget): Cluster => {
  const { db: _, ...redisOptions } = shared(target)
  return new Cluster([...target.hosts], {
    redisOptions,
    enableOfflineQueue: false,
    clusterRetryStrategy: retryMs,
    // Nor is a command sent again whose connection ended, or that a cluster without all its slots refused.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
  })
}
