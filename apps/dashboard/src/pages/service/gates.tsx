import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { reportedQuery } from '../../api/queries.ts'
import { count, rate, share } from '../../format/numbers.ts'
import { type Slots, type Spell, spellOf, UNHEARD } from '../../outcomes/spread.ts'
import { useOutcomes } from '../../outcomes/use-history.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Rows } from '../../ui/rows.tsx'
import ui from '../../ui/ui.module.css'
import { numberColumn, offeredColumn, p99Column, slotsColumn } from './instance-columns.tsx'
import { MINUTES } from './spread.tsx'

interface GateRow extends Spell {
  readonly name: string
  readonly environment: string
  readonly service: string
  readonly slots: Slots | null
  /** Of the worst process. */
  readonly level: number | null
  readonly of: { readonly offered: number; readonly p99: number }
}

/** So many at first: what stands below is not pushed away. */
const FEW = 6

/** The gates of a service, the busiest first, each with a page of its own. */
export const Gates = ({ environment, service }: { environment: string; service: string }) => {
  const history = useOutcomes(environment, { service, groupBy: 'gate', step: 10 }, MINUTES, { again: true })
  const reported = useQuery(reportedQuery(environment, service)).data?.gates ?? []
  const said = new Map(reported.map((one) => [one.name, one]))
  const spells = new Map((history.data?.series ?? []).map((series) => [series.label, spellOf(series, 10)]))
  const names = new Set([...spells.keys(), ...said.keys()])
  const [all, setAll] = useState(false)
  if (names.size === 0) return null
  const rows = [...names].map((name) => {
    const slots = said.get(name) ?? null
    return { name, level: slots?.level ?? null, slots, ...(spells.get(name) ?? UNHEARD) }
  })
  const of = {
    offered: Math.max(0, ...rows.map(({ offered }) => offered ?? 0)),
    p99: Math.max(0, ...rows.map(({ p99 }) => p99 ?? 0)),
  }
  const sorted = rows
    .map((row): GateRow => ({ ...row, environment, service, of }))
    .sort((a, b) => (b.offered ?? -1) - (a.offered ?? -1) || (a.name < b.name ? -1 : 1))
  return (
    <Panel id="gates" title="Gates" hint="The last five minutes of each, all processes together.">
      <Rows
        label="Gates"
        rows={all ? sorted : sorted.slice(0, FEW)}
        columns={COLUMNS}
        keyOf={({ name }) => name}
        rowHeight={38}
        minWidth={700}
        stacks
      />
      {sorted.length > FEW && !all && (
        <Button size="xs" variant="default" mt="xs" onClick={() => setAll(true)}>
          Show all {sorted.length}
        </Button>
      )}
    </Panel>
  )
}

const COLUMNS: readonly Column<GateRow>[] = [
  {
    key: 'gate',
    label: 'Gate',
    track: 'minmax(160px, 1.6fr)',
    cell: ({ name, environment, service }) => (
      <Link
        to="/e/$environment/s/$service/gates/$gate"
        params={{ environment, service, gate: name }}
        className={ui.link}
      >
        {name}
      </Link>
    ),
  },
  offeredColumn('Offered'),
  numberColumn('Goodput', ({ goodput }) => rate(goodput)),
  numberColumn('Refused', ({ refusedShare }) => share(refusedShare)),
  p99Column(),
  slotsColumn('In flight / limit'),
  numberColumn('Level', ({ level }) => count(level), 50),
]
