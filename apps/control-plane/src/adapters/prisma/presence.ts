import { WIRE } from '@weir/wire/model'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Database } from './database.ts'

/** An agent that was not heard for so long is lost. */
export const LIVE_SECONDS = (WIRE.heartbeatMs * WIRE.missedHeartbeats) / 1_000

/** Live: not ended, and heard within three heartbeats. One sentence of SQL for everybody who counts agents. */
const LIVE = Prisma.sql`a.ended_at IS NULL AND a.last_heard_at > now() - make_interval(secs => ${LIVE_SECONDS})`

export interface AgentCounts {
  readonly live: number
  readonly applied: number
  readonly refused: number
  readonly pending: number
}

export const NO_AGENTS: AgentCounts = { live: 0, applied: 0, refused: 0, pending: 0 }

/** Live agents by service: how many run on the service's revision, refused all or a part of it, or have not answered yet. */
export const countAgents = async (
  database: Database,
  serviceIds: readonly string[],
): Promise<ReadonlyMap<string, AgentCounts>> => {
  if (serviceIds.length === 0) return new Map()
  const rows = await database.prisma.$queryRaw<({ id: string } & AgentCounts)[]>`
    SELECT s.id, count(*)::int AS live,
      count(*) FILTER (WHERE answered AND a.receipt_status = 'applied')::int AS applied,
      count(*) FILTER (WHERE answered AND a.receipt_status <> 'applied')::int AS refused,
      count(*) FILTER (WHERE NOT answered)::int AS pending
    FROM service s JOIN agent a ON a.service_id = s.id
    CROSS JOIN LATERAL (SELECT s.revision = 0 OR coalesce(a.receipt_revision = s.revision, false) AS answered) r
    WHERE s.id = ANY(${[...serviceIds]}::uuid[]) AND ${LIVE}
    GROUP BY s.id`
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

/** Paths that live agents refused with their last receipt, one list an agent; agents that refused nothing are left out. */
export const refusedByLiveAgents = async (database: Database, serviceId: string): Promise<readonly string[][]> => {
  const rows = await database.prisma.$queryRaw<{ paths: string[] }[]>`
    SELECT array(SELECT p ->> 'path' FROM jsonb_array_elements(a.refused) p) AS paths
    FROM agent a WHERE a.service_id = ${serviceId}::uuid AND jsonb_array_length(a.refused) > 0 AND ${LIVE}`
  return rows.map(({ paths }) => paths)
}
