import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { agentsQuery } from '../../api/queries.ts'
import { count, plural } from '../../format/numbers.ts'
import type { Range } from '../../outcomes/range.ts'
import { CROWD, type InstanceRow, instanceRows } from '../../outcomes/spread.ts'
import { useOutcomes } from '../../outcomes/use-history.ts'
import { Panel } from '../../ui/panel.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Failure } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { dependencyColumns, gateColumns, SERVICE_COLUMNS } from './instance-columns.tsx'
import classes from './spread.module.css'
import { askedOf, type Stage } from './stage.ts'
import type { Change } from './use-stage.ts'

/** What differs between processes is looked for in the last minutes, whatever time is shown above. */
export const MINUTES: Range = { live: true, name: '15m', seconds: 300 }
const ROW_HEIGHT = 40
/** So many at first: those that are unlike the others are among them, and what stands below is not pushed away. */
const FEW = 12
/** Agents that are read for what they run: more than there are processes with figures told apart. */
const MOST_ASKED = 100

interface SpreadProps {
  readonly stage: Stage
  readonly all: boolean
  readonly onChange: Change
}

/** Every process beside the others: the one that is unlike them comes first and says in what. */
export const Spread = ({ stage, all, onChange }: SpreadProps) => {
  const { environment, service, subject } = stage
  const history = useOutcomes(environment, { ...askedOf(stage), groupBy: 'instance', step: 10 }, MINUTES, {
    again: true,
  })
  const agents = useQuery(agentsQuery(environment, { service, state: 'running', search: '' }, 0, MOST_ASKED))
  const columns = useMemo(() => {
    if (subject === null) return SERVICE_COLUMNS
    return subject.kind === 'gate' ? gateColumns(subject.name) : dependencyColumns(subject.name)
  }, [subject])
  if (history.data === undefined)
    return history.error === null ? null : (
      <Panel title="Processes">
        <Failure error={history.error} retry={() => void history.refetch()} />
      </Panel>
    )
  const asked = agents.data?.items ?? []
  const running = agents.data?.counts.running ?? 0
  const rows = instanceRows(history.data, asked, subject)
  if (rows.length === 0) return null
  const shown = all ? rows : rows.slice(0, FEW)
  return (
    <Panel id="instances" title="Processes" hint={hintOf(rows)}>
      <Rows
        label="Processes"
        rows={shown}
        columns={columns}
        keyOf={({ instance }) => instance}
        rowHeight={ROW_HEIGHT}
        minWidth={subject?.kind === 'dependency' ? 960 : 860}
        stacks
      />
      {running > asked.length && (
        <p className={classes.asked}>
          What agents say of themselves, as their revision, is read from {count(asked.length)} of {count(running)}:
          those that need a look first.{' '}
          <Link to="/e/$environment/s/$service/agents" params={{ environment, service }} className={ui.link}>
            All agents
          </Link>
        </p>
      )}
      {rows.length > FEW && (
        <Button
          size="xs"
          variant="default"
          mt="xs"
          onClick={() => (all ? onChange({}, ['processes']) : onChange({ processes: 'all' }))}
        >
          {all ? `Show the first ${FEW}` : `Show all ${rows.length}`}
        </Button>
      )}
    </Panel>
  )
}

const hintOf = (rows: readonly InstanceRow[]): string => {
  const each = rows.filter(({ rest }) => !rest)
  const unlike = each.filter(({ oddities }) => oddities.length > 0).length
  const begin = `The last five minutes of each${each.length < rows.length ? ', the busiest one by one' : ''}`
  if (each.length < CROWD) return `${begin}.`
  const are = plural(each.length, 'process', 'processes')
  return unlike === 0 ? `${begin}: all ${each.length} are alike.` : `${begin}: ${unlike} of ${are} unlike the others.`
}
