import type { LastReceipt, ReceiptRecord } from '../../features/agents/agent-record.ts'
import type { StoredAgent } from '../../features/agents/agents-port.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const cleanText = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\u0000', '\ufffd').toWellFormed() : value

/** PostgreSQL's text and JSON hold neither a NUL nor half a surrogate pair; an agent could send them, and one bad row fails its whole batch. */
const clean = <T>(value: T): T => JSON.parse(JSON.stringify(value, cleanText)) as T

/**
 * One statement for all that changed: a batch is one round trip whatever its size. An agent that is gone from here may be with another replica by
 * now: what that one wrote stays, unless nobody has heard the agent since.
 */
export const UPSERT = `
  INSERT INTO agent AS a (service_id, instance, boot, zone, host, pid, agent_version, mode_override, source, connected, replica,
    changed_at, applied_database_id, applied_revision, applied_hash, receipt_revision, receipt_status, refused, report,
    first_heard_at, last_heard_at, ended_at)
  SELECT s.id, v.instance, v.boot, v.zone, v.host, v.pid, v.agent_version, v.mode_override, v.source, v.connected, v.replica,
    clock_timestamp(), v.applied_database_id, v.applied_revision, v.applied_hash, v.receipt_revision, v.receipt_status, v.refused, v.report,
    v.first_heard_at, v.last_heard_at, v.ended_at
  FROM jsonb_to_recordset($1::jsonb) AS v(environment text, service text, instance text, boot text, zone text, host text,
    pid int, agent_version text, mode_override text, source text, connected boolean, replica text, applied_database_id uuid,
    applied_revision int, applied_hash text, receipt_revision int, receipt_status text, refused jsonb, report jsonb,
    first_heard_at timestamptz, last_heard_at timestamptz, ended_at timestamptz)
  JOIN environment e ON e.name = v.environment JOIN service s ON s.environment_id = e.id AND s.name = v.service
  ORDER BY s.id, v.instance
  ON CONFLICT (service_id, instance) DO UPDATE SET boot = excluded.boot, zone = excluded.zone, host = excluded.host,
    pid = excluded.pid, agent_version = excluded.agent_version, mode_override = excluded.mode_override,
    source = excluded.source, connected = excluded.connected, replica = excluded.replica, changed_at = excluded.changed_at, applied_database_id = excluded.applied_database_id,
    applied_revision = excluded.applied_revision, applied_hash = excluded.applied_hash,
    receipt_revision = excluded.receipt_revision, receipt_status = excluded.receipt_status, refused = excluded.refused,
    report = excluded.report, last_heard_at = greatest(a.last_heard_at, excluded.last_heard_at), ended_at = excluded.ended_at,
    first_heard_at = CASE WHEN a.ended_at IS NULL THEN a.first_heard_at ELSE excluded.first_heard_at END
  WHERE excluded.connected OR NOT a.connected OR a.replica IS NOT DISTINCT FROM excluded.replica
    OR (excluded.ended_at IS NOT NULL AND a.last_heard_at <= excluded.last_heard_at)`

export const RECEIPTS = `
  INSERT INTO receipt (service_id, instance, boot, database_id, revision, hash, status, refused, at)
  SELECT s.id, v.instance, v.boot, v.database_id, v.revision, v.hash, v.status, v.refused, v.at
  FROM jsonb_to_recordset($1::jsonb) AS v(environment text, service text, instance text, boot text, database_id uuid,
    revision int, hash text, status text, refused jsonb, at timestamptz)
  JOIN environment e ON e.name = v.environment JOIN service s ON s.environment_id = e.id AND s.name = v.service
  ORDER BY v.at`

export const HEARD = `
  UPDATE agent a SET last_heard_at = v.at, changed_at = clock_timestamp()
  FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) AS v(environment, service, instance, at)
  JOIN environment e ON e.name = v.environment JOIN service s ON s.environment_id = e.id AND s.name = v.service
  WHERE a.service_id = s.id AND a.instance = v.instance AND a.last_heard_at < v.at`

/** A receipt for another database than a UUID's was not sent by us, and is not history. */
export const receiptLine = (receipt: ReceiptRecord) =>
  UUID.test(receipt.databaseId) && isRevision(receipt.revision)
    ? [
        {
          environment: receipt.environment,
          service: receipt.service,
          instance: clean(receipt.instance),
          boot: clean(receipt.boot),
          database_id: receipt.databaseId,
          revision: receipt.revision,
          hash: receipt.hash,
          status: receipt.status,
          refused: clean(receipt.refused),
          at: new Date(receipt.atMs),
        },
      ]
    : []

export const stateLine = ({ record, connected }: StoredAgent, databaseId: string, replica: string) => {
  const { applied } = record
  const known = applied !== null && UUID.test(applied.databaseId) && isRevision(applied.revision) ? applied : null
  const answer = answerOf(record.receipt, known, databaseId)
  return {
    environment: record.environment,
    service: record.service,
    instance: clean(record.instance),
    boot: clean(record.boot),
    zone: clean(record.zone),
    host: clean(record.host),
    pid: Math.min(record.pid, MAX_INT),
    agent_version: clean(record.agentVersion),
    mode_override: record.modeOverride,
    source: record.source,
    connected,
    replica,
    applied_database_id: known?.databaseId ?? null,
    applied_revision: known?.revision ?? null,
    applied_hash: known?.hash ?? null,
    receipt_revision: answer?.revision ?? null,
    receipt_status: answer?.status ?? null,
    refused: clean(answer?.refused ?? []),
    report: clean({
      keyId: record.keyId,
      startedAtMs: record.startedAtMs,
      applied,
      receipt: record.receipt,
      gates: record.gates,
      dependencies: record.dependencies,
      consumers: record.consumers,
      uncounted: record.uncounted,
    }),
    first_heard_at: new Date(record.joinedAtMs),
    last_heard_at: new Date(record.lastHeardAtMs),
    ended_at: record.endedAtMs === null ? null : new Date(record.endedAtMs),
  }
}

const MAX_INT = 2_147_483_647
const isRevision = (revision: number): boolean => revision <= MAX_INT

/** Its word on a revision of this database: the receipt, or where this process gave none what its hello says it runs on. */
const answerOf = (
  receipt: LastReceipt | null,
  applied: { readonly databaseId: string; readonly revision: number } | null,
  databaseId: string,
): { revision: number; status: string; refused: LastReceipt['refused'] } | null => {
  if (receipt !== null) return receipt.databaseId === databaseId && isRevision(receipt.revision) ? receipt : null
  if (applied === null || applied.databaseId !== databaseId) return null
  return { revision: applied.revision, status: 'applied', refused: [] }
}
