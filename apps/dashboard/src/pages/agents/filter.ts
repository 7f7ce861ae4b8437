import type { Agent } from '@weir/api'
import type { AgentFilter } from '../../app/search.ts'

/** Runs on what it found at hand, and the control plane has not told it that this is what was intended. */
export const onFallback = ({ source, connected, appliedRevision, intendedRevision }: Agent): boolean =>
  source !== 'stream' && !(connected && (appliedRevision ?? 0) === intendedRevision)

export const FILTERS: Readonly<Record<AgentFilter, { label: string; holds: (agent: Agent) => boolean }>> = {
  refused: { label: 'Refused or partly applied', holds: ({ status }) => status === 'refused' || status === 'partly' },
  pending: {
    label: 'Not yet on the intended policy',
    holds: ({ status }) => status === 'pending' || status === 'none',
  },
  fallback: { label: 'On a fallback', holds: (agent) => onFallback(agent) },
  override: { label: 'Mode overridden in the process', holds: ({ modeOverride }) => modeOverride !== null },
  lost: { label: 'Lost', holds: ({ presence }) => presence === 'lost' },
  ended: { label: 'Ended', holds: ({ presence }) => presence === 'ended' },
}

const PRESENCE = { live: 0, lost: 1, ended: 2 } as const

/** What needs a look first: refusals and overrides, then by presence, service and instance. */
const urgency = (agent: Agent): number =>
  (agent.presence === 'ended' ? 20 : 0) +
  (agent.status === 'refused' ? 0 : agent.status === 'partly' ? 1 : agent.modeOverride !== null ? 2 : 3) +
  PRESENCE[agent.presence]

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Agents to show. Ended ones only where they are asked for: they are history. */
export const chosenAgents = (agents: readonly Agent[], show: AgentFilter | undefined, search: string): Agent[] => {
  const wanted = search.trim().toLowerCase()
  const found = (agent: Agent) =>
    wanted === '' ||
    [agent.service, agent.instance, agent.host, agent.zone ?? '', agent.agentVersion].some((text) =>
      text.toLowerCase().includes(wanted),
    )
  const shown = (agent: Agent) =>
    show === undefined
      ? agent.presence !== 'ended'
      : FILTERS[show].holds(agent) && (show === 'ended' || agent.presence !== 'ended')
  return agents
    .filter((agent) => shown(agent) && found(agent))
    .sort((a, b) => urgency(a) - urgency(b) || byName(a.service, b.service) || byName(a.instance, b.instance))
}

export interface GateSum {
  readonly service: string
  readonly name: string
  readonly processes: number
  readonly limit: number
  readonly active: number
  readonly waiting: number
}

/** Limits are per process: what the fleet has is their sum over the live processes. */
export const gateSums = (agents: readonly Agent[]): GateSum[] => {
  const sums = new Map<string, GateSum>()
  for (const agent of agents) {
    if (agent.presence !== 'live') continue
    for (const gate of agent.gates) {
      const key = `${agent.service}\n${gate.name}`
      const sum = sums.get(key)
      sums.set(key, {
        service: agent.service,
        name: gate.name,
        processes: (sum?.processes ?? 0) + 1,
        limit: (sum?.limit ?? 0) + gate.limit,
        active: (sum?.active ?? 0) + gate.active + gate.zombies,
        waiting: (sum?.waiting ?? 0) + gate.waiting,
      })
    }
  }
  return [...sums.values()].sort((a, b) => byName(a.service, b.service) || byName(a.name, b.name))
}
