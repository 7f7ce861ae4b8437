import {
  IconAlertTriangle,
  IconArrowUpRight,
  IconChartPieOff,
  IconCheck,
  IconCircleDashed,
  IconClock,
  IconDatabase,
  IconPlugConnected,
  IconPlugConnectedX,
} from '@tabler/icons-react'
import type { Agent } from '@weir/api'
import { count } from '../../format/numbers.ts'
import { moment } from '../../format/times.ts'
import { type Column, Rows } from '../../ui/rows.tsx'
import { State } from '../../ui/state.tsx'
import ui from '../../ui/ui.module.css'
import { When } from '../../ui/when.tsx'
import classes from './agents.module.css'
import { onFallback } from './filter.ts'

const ROW_HEIGHT = 52

interface AgentsTableProps {
  readonly agents: readonly (Agent | undefined)[]
  readonly withService: boolean
  readonly onSight: (first: number, last: number) => void
}

export const AgentsTable = ({ agents, withService, onSight }: AgentsTableProps) => (
  <Rows
    label="Agents"
    rows={agents}
    columns={withService ? [SERVICE, ...COLUMNS] : COLUMNS}
    keyOf={(agent) => `${agent.service} ${agent.instance}`}
    rowHeight={ROW_HEIGHT}
    minWidth={withService ? 960 : 860}
    stacks
    onSight={onSight}
  />
)

const SERVICE: Column<Agent> = {
  key: 'service',
  label: 'Service',
  track: 'minmax(84px, 0.8fr)',
  cell: (agent) => agent.service,
}

const COLUMNS: readonly Column<Agent>[] = [
  {
    key: 'instance',
    label: 'Instance',
    track: 'minmax(160px, 1.7fr)',
    cell: (agent) => (
      <>
        <span className={classes.instance}>{agent.instance}</span>
        <span className={classes.small}>
          {agent.host}, pid {agent.pid}, v{agent.agentVersion}
          {agent.zone !== null && `, ${agent.zone}`}
        </span>
      </>
    ),
  },
  { key: 'policy', label: 'Policy', track: 'minmax(166px, 1.6fr)', cell: (agent) => <PolicyCell agent={agent} /> },
  { key: 'source', label: 'Policy from', track: 'minmax(146px, 1.1fr)', cell: (agent) => <SourceCell agent={agent} /> },
  {
    key: 'gates',
    label: 'Gates: in flight / limit',
    track: 'minmax(150px, 1.4fr)',
    cell: (agent) => <GatesCell agent={agent} />,
  },
  { key: 'heard', label: 'Last heard', track: 'minmax(152px, 1.1fr)', cell: (agent) => <HeardCell agent={agent} /> },
]

const STATUS = {
  applied: { tone: 'good', icon: IconCheck, label: 'Applied' },
  partly: { tone: 'warn', icon: IconAlertTriangle, label: 'Partly applied' },
  refused: { tone: 'bad', icon: IconAlertTriangle, label: 'Refused' },
  pending: { tone: 'warn', icon: IconClock, label: 'Pending' },
  ahead: { tone: 'warn', icon: IconArrowUpRight, label: 'Ahead of this database' },
  none: { tone: 'dim', icon: IconCircleDashed, label: 'No policy' },
} as const

/** Intended and applied are two numbers: what was published is not yet what runs. */
const PolicyCell = ({ agent }: { agent: Agent }) => {
  const { tone, icon: Icon, label } = STATUS[agent.status]
  return (
    <>
      <State tone={tone} icon={<Icon size={15} />}>
        {label}
      </State>
      <span className={classes.small}>
        runs revision {agent.appliedRevision ?? 'none'}, intended {agent.intendedRevision}
      </span>
      {agent.refused.length > 0 && (
        <details className={classes.why}>
          <summary>Why: {agent.refused.length === 1 ? '1 problem' : `${agent.refused.length} problems`}</summary>
          <ul>
            {agent.refused.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                <code>{path === '' ? 'document' : path}</code> {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

const SOURCES: Readonly<Record<Agent['source'], string>> = {
  stream: 'live stream',
  poll: 'polling',
  disk: 'snapshot on disk',
  bootstrap: 'bootstrap file',
  'built-in': 'built-in defaults',
}

/** A policy that the agent had on disk is as good as a pushed one once the control plane has confirmed it. */
const SourceCell = ({ agent }: { agent: Agent }) => (
  <>
    {onFallback(agent) ? (
      <State tone="warn" icon={<IconDatabase size={15} />} title="A fallback: the control plane has not confirmed it">
        {SOURCES[agent.source]}
      </State>
    ) : (
      <>
        {SOURCES[agent.source]}
        {agent.source !== 'stream' && agent.source !== 'built-in' && (
          <span className={classes.small}>confirmed by the control plane</span>
        )}
      </>
    )}
    {agent.uncounted && (
      <State
        tone="warn"
        icon={<IconChartPieOff size={15} />}
        title="Never answered since its start: it takes an even part of each quota, outside of what the leases count"
      >
        not counted
      </State>
    )}
    {agent.modeOverride !== null && <span className={classes.override}>WEIR_MODE={agent.modeOverride}</span>}
  </>
)

const MOST_GATES = 3

const GatesCell = ({ agent }: { agent: Agent }) => (
  <>
    {agent.gates.slice(0, MOST_GATES).map((gate) => (
      <span key={gate.name} className={classes.gate}>
        <span className={classes.gateName}>{gate.name}</span>
        <b>
          {count(gate.active + gate.zombies)} / {count(gate.limit)}
        </b>
        {gate.mode !== 'enforce' && <span className={ui.dim}>{gate.mode}</span>}
      </span>
    ))}
    {agent.gates.length > MOST_GATES && (
      <span className={classes.small}>and {agent.gates.length - MOST_GATES} more</span>
    )}
    {agent.gates.length === 0 && <span className={ui.dim}>none</span>}
  </>
)

const HeardCell = ({ agent }: { agent: Agent }) => (
  <>
    {agent.connected ? (
      <State tone="good" icon={<IconPlugConnected size={15} />}>
        <When time={agent.lastHeardAt} />
      </State>
    ) : (
      <State tone={agent.presence === 'ended' ? 'dim' : 'warn'} icon={<IconPlugConnectedX size={15} />}>
        {agent.presence === 'ended' ? 'ended, ' : agent.presence === 'lost' ? 'lost, ' : ''}
        <When time={agent.lastHeardAt} />
      </State>
    )}
    <span className={classes.small}>{moment(agent.lastHeardAt)}</span>
  </>
)
