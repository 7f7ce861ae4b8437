import type { AgentState } from '@weir/api'
import { WIRE } from '@weir/wire/model'
import type { AgentChoice, AgentFilter } from '../../features/agents/agents-port.ts'
import { LIVE_SECONDS } from './presence.ts'

/** Agents that fit a service and a search, each with what it made of the intended revision: `agentRow` in SQL. */
const KNOWN = `
  WITH told AS (
    SELECT a.id, s.name AS service, a.instance, a.mode_override IS NOT NULL AS override,
      coalesce((a.report ->> 'uncounted')::boolean, false) AS uncounted,
      CASE WHEN a.ended_at IS NOT NULL THEN 'ended'
        WHEN a.last_heard_at > now() - make_interval(secs => ${LIVE_SECONDS}) THEN 'live'
        WHEN a.last_heard_at > now() - make_interval(secs => ${WIRE.presumedDeadMs / 1_000}) THEN 'lost'
        ELSE 'ended' END AS presence,
      CASE WHEN a.applied_database_id = $4::uuid AND a.applied_revision > s.revision THEN 'ahead'
        WHEN s.revision = 0 OR s.hash IS NULL THEN 'none'
        WHEN a.receipt_revision = s.revision AND a.report #>> '{receipt,hash}' = s.hash THEN a.receipt_status
        WHEN a.applied_database_id = $4::uuid AND a.applied_revision = s.revision AND a.applied_hash = s.hash THEN 'applied'
        ELSE 'pending' END AS status,
      a.source <> 'stream' AS unstreamed, a.connected AND coalesce(a.applied_revision, 0) = s.revision AS confirmed
    FROM agent a JOIN service s ON s.id = a.service_id JOIN environment e ON e.id = s.environment_id
    WHERE e.name = $1 AND ($2::text IS NULL OR s.name = $2) AND ($3::text IS NULL OR
      position(lower($3) IN lower(concat_ws(' ', s.name, a.instance, a.host, a.zone, a.agent_version))) > 0)
  ), known AS (SELECT *, unstreamed AND NOT (confirmed AND presence = 'live') AS fallback FROM told)`

const STATES: Readonly<Record<AgentState, string>> = {
  running: `presence <> 'ended'`,
  refused: `presence <> 'ended' AND status IN ('refused', 'partly')`,
  pending: `presence <> 'ended' AND status IN ('pending', 'none')`,
  fallback: `presence <> 'ended' AND fallback`,
  override: `presence <> 'ended' AND override`,
  uncounted: `presence <> 'ended' AND uncounted`,
  lost: `presence = 'lost'`,
  ended: `presence = 'ended'`,
}

/** What needs a look first; who ended is history. */
const URGENCY = `CASE WHEN presence = 'ended' THEN 8 WHEN status = 'refused' THEN 0 WHEN status = 'partly' THEN 1 WHEN override THEN 2
  WHEN uncounted THEN 3 WHEN presence = 'lost' THEN 4 WHEN fallback THEN 5 WHEN status = 'pending' THEN 6 ELSE 7 END`

type Question = { readonly text: string; readonly values: readonly unknown[] }

const values = (environment: string, { service, search }: AgentChoice, databaseId: string) => [
  environment,
  service ?? null,
  search === undefined || search === '' ? null : search,
  databaseId,
]

export const tallyQuestion = (environment: string, choice: AgentChoice, databaseId: string): Question => ({
  text: `${KNOWN} SELECT count(*)::int AS "all", ${Object.entries(STATES)
    .map(([state, holds]) => `count(*) FILTER (WHERE ${holds})::int AS ${state}`)
    .join(', ')} FROM known`,
  values: values(environment, choice, databaseId),
})

/** `select`: what is read of the agents of the page, of `agent a`. */
export const pageQuestion = (
  environment: string,
  filter: AgentFilter,
  databaseId: string,
  select: string,
): Question => ({
  text: `${KNOWN}, page AS (
      SELECT id, row_number() OVER (ORDER BY ${filter.urgent ? `${URGENCY}, ` : ''}service, instance) AS place
      FROM known WHERE ${filter.state === undefined ? 'true' : STATES[filter.state]}
        AND ($5::text IS NULL OR (service, instance) > ($5, $6))
      ORDER BY place OFFSET $7 LIMIT $8)
    ${select} JOIN page ON page.id = a.id ORDER BY page.place`,
  values: [
    ...values(environment, filter, databaseId),
    filter.after?.service ?? null,
    filter.after?.instance ?? null,
    filter.offset ?? 0,
    filter.limit,
  ],
})
