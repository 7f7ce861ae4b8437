import pg from 'pg'
import { StartRefused } from '../../config/config.ts'

/** Any number; advisory locks are per database. */
const REPLICA_LOCK = 7_235_873_002
/** A replica that was killed frees its lock as soon as PostgreSQL sees the closed connection. */
const PATIENCE_MS = 5_000
const RETRY_MS = 250

export interface ReplicaLock {
  release(): Promise<void>
}

/** `only`: nobody else may serve the database. `shared`: others that share a Redis with this one may. */
export type ReplicaKind = 'only' | 'shared'

const LOCK: Record<ReplicaKind, string> = { only: 'pg_try_advisory_lock', shared: 'pg_try_advisory_lock_shared' }
const TAKEN: Record<ReplicaKind, string> = {
  only: 'Another control plane already serves this database: end it first. Several replicas need a shared Redis: REDIS_URL for each of them.',
  shared: 'A control plane without REDIS_URL serves this database: end it first, or give it the same REDIS_URL.',
}

/**
 * Without a shared bus only one control plane may serve a database: the second one refuses to start.
 * A lost connection is made again; `lost` is called when another process got the lock meanwhile. `revive` is called
 * before each attempt, for a server that this process answers for.
 */
export const holdReplicaLock = async (
  url: string,
  kind: ReplicaKind,
  lost: (why: string) => void,
  revive: () => Promise<void> = async () => {},
  patienceMs = PATIENCE_MS,
): Promise<ReplicaLock> => {
  let closed = false
  let client = await acquire(url, kind, patienceMs)
  if (client === null) throw new StartRefused(TAKEN[kind])
  const watch = (held: pg.Client) => {
    held.once('error', () => {})
    held.once('end', () => {
      if (closed) return
      void regain()
    })
  }
  const regain = async () => {
    while (!closed) {
      await revive().catch(() => {})
      const again = await acquire(url, kind, PATIENCE_MS).catch(() => 'unreachable' as const)
      if (again === null) return lost('Another control plane took this database over.')
      if (again !== 'unreachable') {
        client = again
        watch(again)
        if (closed) await again.end()
        return
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
    }
  }
  watch(client)
  return {
    release: async () => {
      closed = true
      await client?.end().catch(() => {})
    },
  }
}

const acquire = async (url: string, kind: ReplicaKind, patienceMs: number): Promise<pg.Client | null> => {
  const client = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  await client.connect()
  for (let waited = 0; ; waited += RETRY_MS) {
    const { rows } = await client.query<{ held: boolean }>(`SELECT ${LOCK[kind]}($1) AS held`, [REPLICA_LOCK])
    if (rows[0]?.held === true) return client
    if (waited >= patienceMs) break
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
  await client.end()
  return null
}
