import { Button } from '@mantine/core'
import { IconAlertTriangle, IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Flaw } from '@weir/api'
import { useState } from 'react'
import { flawsQuery } from '../../api/figures.ts'
import { count, plural } from '../../format/numbers.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Rows } from '../../ui/rows.tsx'
import { State } from '../../ui/state.tsx'
import ui from '../../ui/ui.module.css'
import { When } from '../../ui/when.tsx'
import { numberColumn } from './instance-columns.tsx'
import spread from './spread.module.css'

interface FlawRow extends Flaw {
  readonly environment: string
}

/** So many at first: what stands below is not pushed away. */
const FEW = 4

interface FlawsProps {
  readonly environment: string
  readonly service: string
  /** `null`: of all gates. */
  readonly gate: string | null
}

/** Processes whose figures are not to be believed. Nothing where all books add up. */
export const Flaws = ({ environment, service, gate }: FlawsProps) => {
  const found = useQuery(flawsQuery(environment, service)).data ?? []
  const data = gate === null ? found : found.filter((flaw) => flaw.gate === gate)
  const [all, setAll] = useState(false)
  if (data.length === 0) return null
  const rows = data.map((flaw) => ({ ...flaw, environment }))
  return (
    <Panel
      id="books"
      title="Books that do not add up"
      hint={hintOf(data)}
      actions={
        <Link
          to="/e/$environment/alerts"
          params={{ environment }}
          search={{ runbook: 'books-off' }}
          className={ui.link}
        >
          What to do
        </Link>
      }
    >
      <Rows
        label="Books that do not add up"
        rows={all ? rows : rows.slice(0, FEW)}
        columns={COLUMNS}
        keyOf={({ instance, gate, book }) => JSON.stringify([instance, gate, book])}
        rowHeight={51}
        minWidth={760}
        stacks
      />
      {rows.length > FEW && !all && (
        <Button size="xs" variant="default" mt="xs" onClick={() => setAll(true)}>
          Show all {count(rows.length)}
        </Button>
      )}
    </Panel>
  )
}

const hintOf = (flaws: readonly Flaw[]): string => {
  const off = new Set(flaws.filter(({ off }) => off).map(({ instance }) => instance)).size
  return off === 0
    ? 'They add up again, but not in the last hour throughout: the figures of that time are wrong.'
    : `What ${plural(off, 'process', 'processes')} counted is not what became of it: their figures, and what this page makes of them, are wrong.`
}

const BOOKS: Readonly<Record<Flaw['book'], string>> = {
  arrivals: 'Arrivals: offered against accepted, refused, left and waiting',
  endings: 'Endings: accepted against ended and in flight',
}

const COLUMNS: readonly Column<FlawRow>[] = [
  {
    key: 'process',
    label: 'Process',
    track: 'minmax(150px, 1.2fr)',
    cell: ({ instance }) => <span className={spread.instance}>{instance}</span>,
  },
  {
    key: 'gate',
    label: 'Gate',
    track: 'minmax(110px, 1fr)',
    labelled: true,
    cell: ({ environment, service, gate }) => (
      <Link to="/e/$environment/s/$service/gates/$gate" params={{ environment, service, gate }} className={ui.link}>
        {gate}
      </Link>
    ),
  },
  {
    key: 'book',
    label: 'Book',
    track: 'minmax(210px, 2fr)',
    labelled: true,
    cell: ({ book }) => <span className={ui.dim}>{BOOKS[book]}</span>,
  },
  numberColumn('Off by', ({ expected, told }) => offBy(expected - told), 110),
  numberColumn('Times', ({ windows }) => count(windows)),
  {
    key: 'last',
    label: 'Last',
    track: '150px',
    labelled: true,
    cell: ({ off, lastAt }) => (
      <State tone={off ? 'warn' : 'dim'} icon={off ? <IconAlertTriangle size={15} /> : <IconHistory size={15} />}>
        <When time={lastAt} />
      </State>
    ),
  },
]

/** Work that should be left less what is. */
const offBy = (missing: number): string => (missing > 0 ? `${count(missing)} missing` : `${count(-missing)} too many`)
