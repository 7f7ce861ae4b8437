import { AGENT_STATES, type Agent, type AgentState, type AgentTally } from '@weir/api'
import { AGENT_BOUNDS } from './agent-bounds.ts'
import { agentRow } from './agent-row.ts'
import type { AgentChoice, AgentOfPage } from './agents-port.ts'

/** The states of the API over the rows that are shown: what the SQL of a store has to agree with. */
const STATES: Readonly<Record<AgentState, (agent: Agent) => boolean>> = {
  running: () => true,
  refused: ({ status }) => status === 'refused' || status === 'partly',
  pending: ({ status }) => status === 'pending' || status === 'none',
  fallback: ({ source, connected, presence, appliedRevision, intendedRevision }) =>
    source !== 'stream' && !(connected && presence === 'live' && (appliedRevision ?? 0) === intendedRevision),
  override: ({ modeOverride }) => modeOverride !== null,
  uncounted: ({ uncounted }) => uncounted,
  lost: ({ presence }) => presence === 'lost',
  ended: ({ presence }) => presence === 'ended',
}

export const rowAt = ({ record, connected, intended }: AgentOfPage, databaseId: string, nowMs: number): Agent =>
  agentRow(record, {
    connected: connected && nowMs - record.lastHeardAtMs <= 15_000,
    intended,
    databaseId,
    nowMs,
    timing: AGENT_BOUNDS,
  })

export const isOf = (agent: Agent, state: AgentState | undefined): boolean =>
  state === undefined || (STATES[state](agent) && (agent.presence === 'ended') === (state === 'ended'))

export const tallyOf = (agents: readonly Agent[]): AgentTally => {
  const counts = AGENT_STATES.map((state) => [state, agents.filter((agent) => isOf(agent, state)).length])
  return { all: agents.length, ...Object.fromEntries(counts) }
}

export const isFound = (agent: Agent, { service, search = '' }: AgentChoice): boolean =>
  (service === undefined || service === agent.service) &&
  [agent.service, agent.instance, agent.host, agent.zone ?? '', agent.agentVersion]
    .join(' ')
    .toLowerCase()
    .includes(search.toLowerCase())

export const urgencyOf = (agent: Agent): number => {
  if (agent.presence === 'ended') return 8
  const order: readonly boolean[] = [
    agent.status === 'refused',
    agent.status === 'partly',
    agent.modeOverride !== null,
    agent.uncounted,
    agent.presence === 'lost',
    STATES.fallback(agent),
    agent.status === 'pending',
  ]
  const first = order.indexOf(true)
  return first < 0 ? 7 : first
}
