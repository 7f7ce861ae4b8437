import { IconAlertTriangle } from '@tabler/icons-react'
import { count, duration, NOTHING, rate, share } from '../../format/numbers.ts'
import type { Range } from '../../outcomes/range.ts'
import { CROWD, type InstanceRow, instanceRows } from '../../outcomes/spread.ts'
import { useOutcomes } from '../../outcomes/use-history.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Rows } from '../../ui/rows.tsx'
import { State } from '../../ui/state.tsx'
import ui from '../../ui/ui.module.css'
import classes from './spread.module.css'
import type { Stage } from './stage.ts'

/** What differs between processes is looked for in the last minutes, whatever time is shown above. */
const MINUTES: Range = { live: true, name: '15m', seconds: 300 }
const ROW_HEIGHT = 40

/** Every process beside the others: the one that is unlike them comes first and says in what. */
export const Spread = ({ stage: { environment, service, gate } }: { stage: Stage }) => {
  const asked = { service, ...(gate === null ? {} : { name: gate }), groupBy: 'instance', step: 10 } as const
  const history = useOutcomes(environment, asked, MINUTES, { again: true })
  if (history.data === undefined || history.data.series.length === 0) return null
  const rows = instanceRows(history.data)
  const unlike = rows.filter(({ oddities }) => oddities.length > 0).length
  return (
    <Panel
      id="instances"
      title="Processes"
      hint={
        rows.length < CROWD
          ? 'The last five minutes of each.'
          : unlike === 0
            ? 'The last five minutes of each: all are alike.'
            : `The last five minutes of each: ${unlike} of ${rows.length} unlike the others.`
      }
    >
      <Rows
        label="Processes"
        rows={rows}
        columns={COLUMNS}
        keyOf={({ instance }) => instance}
        rowHeight={ROW_HEIGHT}
        minWidth={760}
        stacks
      />
    </Panel>
  )
}

/** A length beside others: what is unlike them is seen before it is read. */
const Bar = ({ part, text }: { part: number; text: string }) => (
  <span className={classes.cell}>
    <span className={classes.bar} aria-hidden="true">
      <span style={{ width: `${Math.round(part * 100)}%` }} />
    </span>
    <span className={classes.text}>{text}</span>
  </span>
)

const COLUMNS: readonly Column<InstanceRow>[] = [
  {
    key: 'instance',
    label: 'Process',
    track: 'minmax(180px, 1.6fr)',
    cell: ({ instance, oddities }) => (
      <>
        <span className={classes.instance}>{instance}</span>
        {oddities.length > 0 && (
          <State tone="warn" icon={<IconAlertTriangle size={15} />}>
            {oddities.join(', ')}
          </State>
        )}
      </>
    ),
  },
  {
    key: 'offered',
    label: 'Offered',
    track: 'minmax(120px, 1fr)',
    cell: ({ offered, of }) => <Bar part={of.offered > 0 ? offered / of.offered : 0} text={rate(offered)} />,
  },
  { key: 'goodput', label: 'Goodput', track: '80px', number: true, cell: ({ goodput }) => rate(goodput) },
  {
    key: 'refused',
    label: 'Refused',
    track: '70px',
    number: true,
    cell: ({ refusedShare }) => share(refusedShare ?? 0),
  },
  {
    key: 'p99',
    label: 'p99',
    track: 'minmax(120px, 1fr)',
    cell: ({ p99, of }) => <Bar part={p99 !== null && of.p99 > 0 ? p99 / of.p99 : 0} text={duration(p99)} />,
  },
  {
    key: 'slots',
    label: 'In flight / limit',
    track: '110px',
    number: true,
    cell: ({ slots }) =>
      slots === null ? <span className={ui.dim}>{NOTHING}</span> : `${count(slots.inFlight)} / ${count(slots.limit)}`,
  },
]
