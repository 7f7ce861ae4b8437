import { IconAlertTriangle, IconBell, IconCheck, IconClock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Service, Verdict } from '@weir/api'
import { Trend } from '../../charts/trend.tsx'
import { rate, share } from '../../format/numbers.ts'
import { verdictSentence } from '../../outcomes/verdict-words.ts'
import { type Column, Rows } from '../../ui/rows.tsx'
import { State } from '../../ui/state.tsx'
import ui from '../../ui/ui.module.css'
import { VerdictState, Why } from '../../ui/verdict.tsx'
import { When } from '../../ui/when.tsx'
import classes from './overview.module.css'

const ROW_HEIGHT = 76

/** How services stand, the worst first: one line each with what, why, whose and since when. */
export const ServicesTable = ({
  verdicts,
  onSight,
}: {
  verdicts: readonly (Verdict | undefined)[]
  onSight: (first: number, last: number) => void
}) => (
  <Rows
    label="Services"
    rows={verdicts}
    columns={COLUMNS}
    keyOf={({ service }) => service.name}
    rowHeight={ROW_HEIGHT}
    minWidth={860}
    stacks
    onSight={onSight}
  />
)

const COLUMNS: readonly Column<Verdict>[] = [
  {
    key: 'service',
    label: 'Service',
    track: 'minmax(190px, 0.8fr)',
    cell: ({ service, verdict, since }) => (
      <>
        <Link
          to="/e/$environment/s/$service"
          params={{ environment: service.environment, service: service.name }}
          className={classes.name}
        >
          {service.name}
        </Link>
        <VerdictState verdict={verdict} />
        <span className={classes.small}>
          {since !== null ? (
            <>
              since <When time={since} />
            </>
          ) : (
            verdict !== 'silent' && 'for 15 min or longer'
          )}
        </span>
      </>
    ),
  },
  {
    key: 'why',
    label: 'What, why, whose',
    track: 'minmax(300px, 2.4fr)',
    cell: (verdict) => (
      <>
        <span className={classes.sentence}>{verdictSentence(verdict)}</span>
        <Why verdict={verdict} />
        <Policy service={verdict.service} />
      </>
    ),
  },
  {
    key: 'trend',
    label: '15 minutes',
    track: 'minmax(100px, 0.7fr)',
    cell: ({ trend }) => <Trend trend={trend} />,
  },
  { key: 'goodput', label: 'Goodput', track: '70px', number: true, cell: ({ goodput }) => rate(goodput) },
  { key: 'offered', label: 'Offered', track: '70px', number: true, cell: ({ offered }) => rate(offered) },
  {
    key: 'refused',
    label: 'Refused',
    track: '66px',
    number: true,
    cell: ({ offered, refused }) => share(offered > 0 ? refused / offered : 0),
  },
]

/** Who runs it under which policy; in a line of its own only where it is not as it should be. */
const Policy = ({ service }: { service: Service }) => {
  const { policyVersion, agents, openAlerts } = service
  const settled = agents.live > 0 && agents.applied === agents.live
  return (
    <div className={classes.policy}>
      <span className={classes.small}>
        {policyVersion === 0 ? 'No policy: agents observe' : `Version ${policyVersion}`}
        {settled && policyVersion > 0 && `, ${agents.applied} of ${agents.live} applied`}
      </span>
      {!settled && <AgentsState agents={agents} />}
      {openAlerts > 0 && (
        <State tone="warn" icon={<IconBell size={15} />}>
          {openAlerts} firing
        </State>
      )}
    </div>
  )
}

/** Applied of live; what is refused or pending is said in words. "Published" is never shown as "applied". */
export const AgentsState = ({ agents }: { agents: Service['agents'] }) => {
  if (agents.live === 0) return <span className={ui.dim}>no agent live</span>
  const sum = `${agents.applied} of ${agents.live} applied`
  if (agents.refused > 0)
    return (
      <State tone="bad" icon={<IconAlertTriangle size={15} />}>
        {sum}, {agents.refused} refused part of it
      </State>
    )
  if (agents.applied < agents.live)
    return (
      <State tone="warn" icon={<IconClock size={15} />}>
        {sum}
        {agents.pending > 0 && `, ${agents.pending} pending`}
      </State>
    )
  return (
    <State tone="good" icon={<IconCheck size={15} />}>
      {sum}
    </State>
  )
}
