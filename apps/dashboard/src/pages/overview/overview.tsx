import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useRef } from 'react'
import { verdictsQuery } from '../../api/queries.ts'
import { useLiveMessages } from '../../app/live.tsx'
import { Chart } from '../../charts/chart.tsx'
import { short } from '../../format/numbers.ts'
import { overviewSplitter } from '../../outcomes/board.ts'
import { isoOf, isStreamed, type RangeSearch, rangeOf } from '../../outcomes/range.ts'
import { type Asked, useBoard, useBounds, useFill, useOutcomes } from '../../outcomes/use-history.ts'
import { useMarks } from '../../outcomes/use-marks.ts'
import { thenLines, useThen } from '../../outcomes/use-then.ts'
import { workLines } from '../../outcomes/work-lines.ts'
import { Books } from '../../ui/books.tsx'
import { Compare } from '../../ui/compare.tsx'
import { Happened } from '../../ui/happened.tsx'
import { PageHead, Panel } from '../../ui/panel.tsx'
import { RangePicker } from '../../ui/range-picker.tsx'
import { Failure, isAway } from '../../ui/states.tsx'
import { FlawsNotice } from './flaws-notice.tsx'
import { GatesChoice } from './gates-choice.tsx'
import { Headline } from './headline.tsx'
import classes from './overview.module.css'
import { ServicesPanel } from './services-panel.tsx'

const LINES = workLines('fleet')

export const Overview = () => {
  const { environment } = useParams({ from: '/app/e/$environment' })
  const search = useSearch({ from: '/app/e/$environment' })
  const navigate = useNavigate({ from: '/e/$environment' })
  const range = useMemo(() => rangeOf(search), [search])
  const verdicts = useQuery(verdictsQuery(environment, ''))

  const edge = useOutcomes(environment, { groupBy: 'none', edge: 'true' }, range, { enabled: search.gates !== 'all' })
  const noEdge = edge.data?.series.every(({ figures }) => isSilent(figures.offered)) === true
  const all = useOutcomes(environment, { groupBy: 'none' }, range, { enabled: search.gates === 'all' || noEdge })
  const unmarked = noEdge && all.data?.series.some(({ figures }) => !isSilent(figures.offered)) === true
  const edgeOnly = search.gates !== 'all' && !noEdge
  useFirstEdge(noEdge, () => void edge.refetch())
  const history = edgeOnly ? edge : all

  const step = isStreamed(range) ? 1 : (history.data?.step ?? 60)
  const board = useBoard(
    `${environment} ${edgeOnly}`,
    range,
    step,
    overviewSplitter(() => edgeOnly),
  )
  useFill(board, history.data, () => 'fleet')
  const asked: Asked = edgeOnly ? { groupBy: 'none', edge: 'true' } : { groupBy: 'none' }
  useThen(board, environment, asked, range, search.compare)
  const bounds = useBounds(range)
  const { annotations, marks } = useMarks(environment, null, range)
  const show = (range: RangeSearch) =>
    void navigate({ search: ({ range: _, from: __, to: ___, ...rest }) => ({ ...rest, ...range }), resetScroll: false })

  return (
    <>
      <PageHead title={environment} sub="All services of this environment on one time axis">
        <div className={classes.actions}>
          <Compare
            compared={search.compare}
            onChange={(compare) =>
              void navigate({
                search: ({ compare: _, ...rest }) => (compare === undefined ? rest : { ...rest, compare }),
                resetScroll: false,
              })
            }
          />
          <RangePicker range={range} step={step} onChange={show} />
        </div>
      </PageHead>
      <FlawsNotice environment={environment} />
      <Headline board={board} known={verdicts.data} />
      {search.services !== 'all' && <ServicesPanel environment={environment} />}
      <Panel
        title="Work"
        hint={unmarked ? NO_EDGE : 'Per second, summed over the gates where work enters the fleet.'}
        actions={unmarked ? undefined : <GatesChoice chosen={search.gates} />}
      >
        {history.error !== null && !isAway(history.error) && (
          <Failure error={history.error} retry={() => void history.refetch()} />
        )}
        <Chart
          title="Work"
          bare
          unit="per second"
          board={board}
          lines={search.compare === undefined ? LINES : [...LINES, ...thenLines(search.compare)]}
          bounds={bounds}
          format={short}
          height={280}
          marks={marks}
          cursorKey={`overview ${environment}`}
          onZoom={(from, to) => show({ from: isoOf(Math.floor(from)), to: isoOf(Math.ceil(to)) })}
        />
        <Books board={board} line="fleet" bounds={bounds} />
        <Happened environment={environment} annotations={annotations} withService />
      </Panel>
      {search.services === 'all' && <ServicesPanel environment={environment} />}
    </>
  )
}

/** A gate may be marked edge while one looks: the first live row that says so has the totals read anew. */
const useFirstEdge = (noEdge: boolean, onEdge: () => void): void => {
  const told = useRef(onEdge)
  told.current = onEdge
  useLiveMessages(
    useCallback(
      (message) => {
        if (noEdge && message.type === 'tick' && message.rows.some((row) => row.kind === 'gate' && row.edge))
          told.current()
      },
      [noEdge],
    ),
  )
}

const NO_EDGE =
  'Per second. No gate is marked edge in the policies, so that all gates are summed: work that passes several of them is counted at each.'

const isSilent = (values: readonly (number | null)[] | undefined): boolean =>
  values === undefined || values.every((value) => value === null)
