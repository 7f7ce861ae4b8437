import { NativeSelect, SegmentedControl } from '@mantine/core'
import { Fragment, useEffect, useMemo, useReducer } from 'react'
import { BREAKDOWNS, BROKEN_DOWN, type Breakdown, type BrokenDown, type FiguresSearch } from '../../app/search.ts'
import { Chart } from '../../charts/chart.tsx'
import type { Line } from '../../charts/lines.ts'
import { LiveText } from '../../charts/live-text.tsx'
import { count, share, short } from '../../format/numbers.ts'
import type { Board } from '../../outcomes/board.ts'
import { lossShare } from '../../outcomes/books.ts'
import { reasonTitle } from '../../outcomes/reasons.ts'
import { useFill, useOutcomes } from '../../outcomes/use-history.ts'
import { lookOf } from '../../outcomes/work-lines.ts'
import { Panel } from '../../ui/panel.tsx'
import { Failure } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import { chartOn, type Stage } from './stage.ts'

interface BreakdownProps {
  readonly stage: Stage
  readonly search: FiguresSearch
  readonly onChange: (change: Partial<FiguresSearch>, drop?: (keyof FiguresSearch)[]) => void
}

const MOST_LINES = 12
const TITLES: Record<Breakdown, string> = {
  reason: 'Reason',
  class: 'Class',
  tenant: 'Tenant',
  revision: 'Revision',
}

/** The same work by why it was refused, by how much it matters, or by whom it is for. */
export const BreakdownPanel = ({ stage, search, onChange }: BreakdownProps) => {
  const by: Breakdown = search.by ?? 'reason'
  const figure: BrokenDown = by === 'reason' ? 'shed' : (search.figure ?? 'shed')
  const history = useOutcomes(
    stage.environment,
    { service: stage.service, ...(stage.gate === null ? {} : { name: stage.gate }), groupBy: by },
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
          <SegmentedControl
            size="xs"
            aria-label="Broken down by"
            value={by}
            data={BREAKDOWNS.map((value) => ({ value, label: TITLES[value] }))}
            onChange={(value) =>
              value === 'class' || value === 'tenant' || value === 'revision'
                ? onChange({ by: value })
                : onChange({}, ['by'])
            }
          />
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

const linesOf = (labels: readonly string[], by: Breakdown, figure: BrokenDown): Line[] =>
  labels.slice(0, MOST_LINES).map((label, index) => ({
    id: label,
    label: by === 'reason' ? reasonTitle(label) : label,
    line: `${by}:${label}`,
    figure: by === 'reason' && label.startsWith('expired-') ? 'expired' : figure,
    factor: 'rate',
    ...lookOf(index),
  }))

const total = (board: Board, name: string, bounds: () => readonly [number, number], figure: string): number => {
  const [from, to] = bounds()
  return board.line(name)?.sum(figure, from, to) ?? 0
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
    const weight = (name: string) => total(board, name, bounds, 'shed') + total(board, name, bounds, 'expired')
    return board
      .names(prefix)
      .map((name) => ({ name, refused: weight(name) }))
      .sort((a, b) => b.refused - a.refused || (a.name < b.name ? -1 : 1))
      .map(({ name }) => name.slice(prefix.length))
  }, [board, bounds, prefix, known])
}

const COLUMNS = ['offered', 'accepted', 'shed', 'expired', 'completed'] as const
const REASON_COLUMNS = ['shed', 'expired'] as const

const BreakdownTable = ({ stage, by, labels }: { stage: Stage; by: Breakdown; labels: readonly string[] }) => {
  const columns = by === 'reason' ? REASON_COLUMNS : COLUMNS
  if (labels.length === 0)
    return (
      <p className={ui.hint}>
        {by === 'reason' ? 'Nothing was refused in this time.' : 'No work was heard of in this time.'}
      </p>
    )
  const cell = (label: string, text: (sum: (figure: string) => number) => string) => (
    <td className={ui.number}>
      <LiveText
        board={stage.board}
        text={() => text((figure) => total(stage.board, `${by}:${label}`, stage.bounds, figure))}
      />
    </td>
  )
  return (
    <div className={ui.scroll}>
      <table className={ui.table}>
        <thead>
          <tr>
            <th scope="col">{TITLES[by]}</th>
            {columns.map((column) => (
              <th scope="col" key={column} className={ui.number}>
                {column}
              </th>
            ))}
            {by !== 'reason' && (
              <th scope="col" className={ui.number}>
                refused
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {labels.slice(0, 50).map((label) => (
            <tr key={label}>
              <td>
                {by === 'reason' ? (
                  <>
                    {reasonTitle(label)} <code className={ui.dim}>{label}</code>
                  </>
                ) : (
                  label
                )}
              </td>
              {columns.map((column) => (
                <Fragment key={column}>{cell(label, (sum) => count(sum(column)))}</Fragment>
              ))}
              {by !== 'reason' &&
                cell(label, (sum) =>
                  share(lossShare({ offered: sum('offered'), shed: sum('shed'), expired: sum('expired') })),
                )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
