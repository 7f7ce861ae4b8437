import { NativeSelect, SegmentedControl } from '@mantine/core'
import { useEffect, useMemo, useReducer } from 'react'
import { BREAKDOWNS, BROKEN_DOWN, type Breakdown, type BrokenDown, type FiguresSearch } from '../../app/search.ts'
import { Chart } from '../../charts/chart.tsx'
import type { Line } from '../../charts/lines.ts'
import { short } from '../../format/numbers.ts'
import { reasonTitle } from '../../outcomes/reasons.ts'
import { useFill, useOutcomes } from '../../outcomes/use-history.ts'
import { lookOf } from '../../outcomes/work-lines.ts'
import { Panel } from '../../ui/panel.tsx'
import { Failure } from '../../ui/states.tsx'
import { BreakdownTable, BY_TITLES, totalOf } from './breakdown-table.tsx'
import { askedOf, chartOn, type Stage } from './stage.ts'
import type { Change } from './use-stage.ts'

interface BreakdownProps {
  readonly stage: Stage
  readonly search: FiguresSearch
  readonly onChange: Change
}

/** Lines past these are drawn as one. */
const MOST_LINES = 12

/** The same work by why it was refused, by how much it matters, or by whom it is for. */
export const BreakdownPanel = ({ stage, search, onChange }: BreakdownProps) => {
  const calls = stage.subject?.kind === 'dependency'
  // Calls are told apart by reason alone.
  const by: Breakdown = calls ? 'reason' : (search.by ?? 'reason')
  const figure: BrokenDown = by === 'reason' ? 'shed' : (search.figure ?? 'shed')
  const history = useOutcomes(
    stage.environment,
    { ...askedOf(stage), groupBy: by },
    stage.range,
    // The live socket tells no revisions: they are read again.
    { again: by === 'revision' },
  )
  useFill(stage.board, history.data, (label) => `${by}:${label}`)
  const labels = useLabels(stage, `${by}:`)
  const lines = useMemo(() => linesOf(labels, by, figure), [labels, by, figure])
  const title = by === 'reason' ? 'Refused by reason' : `${capital(figure)} by ${by}`
  return (
    <Panel
      id="why"
      title={title}
      hint="Per second, stacked. Click a moment, or press Enter at the cursor, to see why work was refused then."
      actions={
        <>
          {!calls && (
            <SegmentedControl
              size="xs"
              aria-label="Broken down by"
              value={by}
              data={BREAKDOWNS.map((value) => ({ value, label: BY_TITLES[value] }))}
              onChange={(value) =>
                value === 'class' || value === 'tenant' || value === 'revision'
                  ? onChange({ by: value })
                  : onChange({}, ['by'])
              }
            />
          )}
          {by !== 'reason' && (
            <NativeSelect
              size="xs"
              aria-label="Figure"
              w={130}
              data={[...BROKEN_DOWN]}
              value={figure}
              onChange={(event) => {
                const next = BROKEN_DOWN.find((one) => one === event.currentTarget.value)
                if (next === undefined || next === 'shed') onChange({}, ['figure'])
                else onChange({ figure: next })
              }}
            />
          )}
        </>
      }
    >
      {history.error !== null && <Failure error={history.error} retry={() => void history.refetch()} />}
      <Chart title={title} bare unit="per second, stacked" stacked lines={lines} format={short} {...chartOn(stage)} />
      {(labels.length > 0 || history.isSuccess) && <BreakdownTable stage={stage} by={by} labels={labels} />}
    </Panel>
  )
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const linesOf = (labels: readonly string[], by: Breakdown, figure: BrokenDown): Line[] => {
  const apart = labels.length > MOST_LINES ? MOST_LINES - 1 : MOST_LINES
  const lines = labels.slice(0, apart).map(
    (label, index): Line => ({
      id: label,
      label: by === 'reason' ? reasonTitle(label) : label,
      line: `${by}:${label}`,
      figure: by === 'reason' && label.startsWith('expired-') ? 'expired' : figure,
      factor: 'rate',
      ...lookOf(index),
    }),
  )
  const [first, ...also] = labels.slice(apart).map((label) => `${by}:${label}`)
  if (first === undefined) return lines
  const label = `${also.length + 1} more`
  return [...lines, { id: 'more', label, line: first, also, figure, factor: 'rate', tone: 'c8', dash: [1, 3] }]
}

/** Labels known so far, those with most refused work first; looked at anew when a new one appears. */
const useLabels = ({ board, bounds }: Stage, prefix: string): readonly string[] => {
  const [known, look] = useReducer(() => board.names(prefix).length, 0)
  useEffect(() => {
    look()
    return board.subscribe(() => {
      if (board.names(prefix).length !== known) look()
    })
  }, [board, prefix, known])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number of names says when there are other names
  return useMemo(() => {
    const weight = (name: string) => totalOf(board, name, bounds, 'shed') + totalOf(board, name, bounds, 'expired')
    return board
      .names(prefix)
      .map((name) => ({ name, refused: weight(name) }))
      .sort((a, b) => b.refused - a.refused || (a.name < b.name ? -1 : 1))
      .map(({ name }) => name.slice(prefix.length))
  }, [board, bounds, prefix, known])
}
