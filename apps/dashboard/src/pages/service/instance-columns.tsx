import { IconAlertTriangle, IconCircleCheck, IconCircleHalf2, IconCircleX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { count, duration, NOTHING, rate, share } from '../../format/numbers.ts'
import { type InstanceRow, runsAnother, type Seen, type Slots, type Spell } from '../../outcomes/spread.ts'
import type { Column } from '../../ui/rows.tsx'
import { State, type Tone } from '../../ui/state.tsx'
import ui from '../../ui/ui.module.css'
import classes from './spread.module.css'

/** A length beside others: what is unlike them is seen before it is read. */
const Bar = ({ part, text }: { part: number; text: string }) => (
  <span className={classes.cell}>
    <span className={classes.bar} aria-hidden="true">
      <span style={{ width: `${Math.round(part * 100)}%` }} />
    </span>
    <span className={classes.text}>{text}</span>
  </span>
)

type Barred = Pick<Spell, 'offered' | 'p99'> & { readonly of: InstanceRow['of'] }
const partOf = (value: number | null, of: number): number => (value !== null && of > 0 ? Math.min(1, value / of) : 0)

export const offeredColumn = <T extends Barred>(label: string): Column<T> => ({
  key: 'offered',
  label,
  track: 'minmax(90px, 1fr)',
  labelled: true,
  cell: ({ offered, of }) => <Bar part={partOf(offered, of.offered)} text={rate(offered)} />,
})
export const p99Column = <T extends Barred>(): Column<T> => ({
  key: 'p99',
  label: 'p99',
  track: 'minmax(90px, 1fr)',
  labelled: true,
  cell: ({ p99, of }) => <Bar part={partOf(p99, of.p99)} text={duration(p99)} />,
})
export const slotsColumn = <T extends { readonly slots: Slots | null }>(label: string): Column<T> => ({
  key: 'slots',
  label,
  track: '86px',
  number: true,
  cell: ({ slots }) =>
    slots === null ? <span className={ui.dim}>{NOTHING}</span> : `${count(slots.inFlight)} / ${count(slots.limit)}`,
})
export const numberColumn = <T,>(label: string, text: (row: T) => string, width = 66): Column<T> => ({
  key: label,
  label,
  track: `${width}px`,
  number: true,
  cell: text,
})

const nameColumn: Column<InstanceRow> = {
  key: 'instance',
  label: 'Process',
  track: 'minmax(160px, 2.4fr)',
  cell: ({ instance, rest, oddities }) => (
    <>
      <span className={classes.instance}>{rest ? 'All others in sum' : instance}</span>
      {oddities.length > 0 && (
        <span className={classes.unlike}>
          <IconAlertTriangle size={15} aria-hidden="true" /> {oddities.join(', ')}
        </span>
      )}
    </>
  ),
}

/** Which revision a process runs; where that is not the intended one, both are said: `3, not 4`. */
const Revision = ({ agent }: { agent: Seen | null }) => {
  if (agent === null) return <span className={ui.dim}>{NOTHING}</span>
  const { appliedRevision, intendedRevision, status, modeOverride } = agent
  const runs = appliedRevision ?? 'built-in'
  return (
    <>
      {runsAnother(agent) ? (
        <span className={ui.warn}>
          {runs}, not {intendedRevision}
        </span>
      ) : (
        runs
      )}
      {(status === 'partly' || status === 'refused') && <span className={ui.bad}> {status}</span>}
      {modeOverride !== null && <span className={ui.bad}> WEIR_MODE={modeOverride}</span>}
    </>
  )
}
const revisionColumn: Column<InstanceRow> = {
  key: 'revision',
  label: 'Revision',
  track: '68px',
  number: true,
  cell: ({ agent }) => <Revision agent={agent} />,
}

const goodputColumn = numberColumn<InstanceRow>('Goodput', ({ goodput }) => rate(goodput))
const refusedColumn = numberColumn<InstanceRow>('Refused', ({ refusedShare }) => share(refusedShare))
const failedColumn = numberColumn<InstanceRow>('Failed', ({ failedShare }) => share(failedShare))

const BREAKERS: Readonly<Record<string, readonly [Tone, ReactNode, string]>> = {
  open: ['bad', <IconCircleX key="i" size={15} />, 'Open'],
  'half-open': ['warn', <IconCircleHalf2 key="i" size={15} />, 'Half-open'],
  closed: ['good', <IconCircleCheck key="i" size={15} />, 'Closed'],
}
const Breaker = ({ state }: { state: string | undefined }) => {
  const [tone, icon, text] = BREAKERS[state ?? ''] ?? ['dim', null, NOTHING]
  return (
    <State tone={tone} icon={icon}>
      {text}
    </State>
  )
}

/** Processes by all of their gates together. */
export const SERVICE_COLUMNS: readonly Column<InstanceRow>[] = [
  nameColumn,
  offeredColumn('Offered'),
  goodputColumn,
  refusedColumn,
  p99Column(),
  slotsColumn('In flight / limit'),
  revisionColumn,
]

/** Processes by one gate. */
export const gateColumns = (name: string): readonly Column<InstanceRow>[] => {
  const report = ({ agent }: InstanceRow) => agent?.gates.find((gate) => gate.name === name)
  return [
    nameColumn,
    offeredColumn('Offered'),
    goodputColumn,
    refusedColumn,
    p99Column(),
    slotsColumn('In flight / limit'),
    numberColumn('Waiting', (row) => count(report(row)?.waiting), 56),
    numberColumn('Level', (row) => count(report(row)?.level), 44),
    revisionColumn,
  ]
}

/** Processes by one dependency. */
export const dependencyColumns = (name: string): readonly Column<InstanceRow>[] => {
  const report = ({ agent }: InstanceRow) => agent?.dependencies.find((one) => one.name === name)
  return [
    nameColumn,
    {
      key: 'breaker',
      label: 'Breaker',
      track: '100px',
      labelled: true,
      cell: (row) => <Breaker state={report(row)?.breaker} />,
    },
    offeredColumn('Calls'),
    goodputColumn,
    refusedColumn,
    failedColumn,
    p99Column(),
    slotsColumn('In flight / ceiling'),
    numberColumn('Budget left', (row) => share(report(row)?.budgetLeft), 56),
    revisionColumn,
  ]
}
