import type { Agent } from '@weir/api'
import type { PolicyIdentity } from '@weir/policy/model'
import { type AgentRecord, isAhead, sameIdentity } from './agent-record.ts'
import { type PresenceTiming, presenceOf } from './presence.ts'

type Stated = Pick<AgentRecord, 'applied' | 'receipt'>

/**
 * What an agent made of the intended policy. Its receipt for exactly that identity (database, revision, hash) is the proof;
 * without one, what it said that it runs on. "Published" is never "applied".
 */
export const statusOf = (record: Stated, intended: PolicyIdentity | null, databaseId: string): Agent['status'] => {
  if (isAhead(record.applied, intended, databaseId)) return 'ahead'
  if (intended === null || intended.revision === 0) return 'none'
  if (sameIdentity(record.receipt, intended)) return record.receipt?.status ?? 'pending'
  return sameIdentity(record.applied, intended) ? 'applied' : 'pending'
}

/** The agent as REST and the live socket show it. */
export const agentRow = (
  record: AgentRecord,
  view: {
    readonly connected: boolean
    readonly intended: PolicyIdentity | null
    readonly databaseId: string
    readonly nowMs: number
    readonly timing: PresenceTiming
  },
): Agent => {
  const status = statusOf(record, view.intended, view.databaseId)
  const answered = sameIdentity(record.receipt, view.intended)
  return {
    service: record.service,
    instance: record.instance,
    zone: record.zone,
    host: record.host,
    pid: record.pid,
    agentVersion: record.agentVersion,
    modeOverride: record.modeOverride,
    presence: presenceOf({ ...record, connected: view.connected }, view.nowMs, view.timing),
    connected: view.connected,
    intendedRevision: view.intended?.revision ?? 0,
    appliedRevision: record.applied?.revision ?? null,
    status,
    refused: answered ? [...(record.receipt?.refused ?? [])] : [],
    source: record.source,
    startedAt: new Date(record.startedAtMs).toISOString(),
    lastHeardAt: new Date(record.lastHeardAtMs).toISOString(),
    gates: [...record.gates],
    dependencies: [...record.dependencies],
    consumers: [...record.consumers],
    uncounted: record.uncounted,
  }
}
