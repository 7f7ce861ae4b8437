import { NativeSelect } from '@mantine/core'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { FiguresSearch } from '../../app/search.ts'
import { serviceSplitter } from '../../outcomes/board.ts'
import { isoOf, isStreamed, type Range, type RangeSearch, rangeOf } from '../../outcomes/range.ts'
import { type Asked, useBoard, useBounds, useFill, useOutcomes } from '../../outcomes/use-history.ts'
import { useMarks } from '../../outcomes/use-marks.ts'
import { useThen } from '../../outcomes/use-then.ts'
import { Compare } from '../../ui/compare.tsx'
import { RangePicker } from '../../ui/range-picker.tsx'
import { Failure, isAway } from '../../ui/states.tsx'
import { BreakdownPanel } from './breakdown.tsx'
import { Brokers } from './brokers.tsx'
import { Decisions } from './decisions.tsx'
import { Dependencies } from './dependencies.tsx'
import { GateCharts, WorkPanel } from './gate-charts.tsx'
import classes from './service.module.css'
import { Spread } from './spread.tsx'
import type { Stage } from './stage.ts'
import { Standing } from './standing.tsx'

export const ServiceFigures = () => {
  const { environment, service } = useParams({ from: '/app/e/$environment/s/$service/' })
  const search = useSearch({ from: '/app/e/$environment/s/$service/' })
  const navigate = useNavigate({ from: '/e/$environment/s/$service/' })
  const gate = search.gate ?? null
  const range = useMemo(() => rangeOf(search), [search])
  const asked: Asked = { service, ...(gate === null ? {} : { name: gate }), groupBy: 'none' }
  const work = useOutcomes(environment, asked, range)
  const gates = useOutcomes(environment, { service, groupBy: 'gate', step: 60 }, QUARTER, { again: true })
  const step = isStreamed(range) ? 1 : (work.data?.step ?? 60)
  const board = useBoard(`${environment} ${service} ${gate}`, range, step, serviceSplitter(gate))
  useFill(board, work.data, () => 'work')
  useThen(board, environment, asked, range, search.compare)
  const bounds = useBounds(range)
  const { annotations, marks } = useMarks(environment, service, range)
  const at = search.at === undefined ? null : Date.parse(search.at) / 1_000
  const change = (change: Partial<FiguresSearch>, drop: (keyof FiguresSearch)[] = []) =>
    void navigate({ search: (before) => without({ ...before, ...change }, drop), replace: true, resetScroll: false })
  const show = (time: RangeSearch) => change(time, time.range === undefined ? ['range'] : ['from', 'to'])
  const stage: Stage = {
    environment,
    service,
    gate,
    range,
    board,
    bounds,
    marks: at === null ? marks : [...marks, { second: at, label: 'why?', tone: 'completed' }],
    onPick: (second) => change({ at: isoOf(Math.floor(second)) }, ['why']),
    cursorKey: `service ${environment} ${service}`,
    onZoom: (from, to) => show({ from: isoOf(Math.floor(from)), to: isoOf(Math.ceil(to)) }),
  }
  return (
    <>
      <Standing environment={environment} service={service} />
      <div className={classes.bar}>
        <GateChoice
          names={gates.data?.series.map(({ label }) => label) ?? []}
          gate={gate}
          onChange={(name) => (name === null ? change({}, ['gate']) : change({ gate: name }))}
        />
        <div className={classes.time}>
          <Compare
            compared={search.compare}
            onChange={(compare) => (compare === undefined ? change({}, ['compare']) : change({ compare }))}
          />
          <RangePicker range={range} step={step} onChange={show} />
        </div>
      </div>
      {work.error !== null && !isAway(work.error) && <Failure error={work.error} retry={() => void work.refetch()} />}
      <WorkPanel stage={stage} annotations={annotations} compared={search.compare} />
      <BreakdownPanel stage={stage} search={search} onChange={change} />
      <Decisions stage={stage} at={at} reason={search.why ?? null} onChange={change} />
      <GateCharts stage={stage} />
      <Spread stage={stage} />
      <Dependencies stage={stage} />
      <Brokers environment={environment} service={service} />
    </>
  )
}

const QUARTER: Range = { live: true, name: '15m', seconds: 900 }

const without = (search: FiguresSearch, drop: readonly (keyof FiguresSearch)[]): FiguresSearch => {
  const kept = { ...search }
  for (const key of drop) delete kept[key]
  return kept
}

interface GateChoiceProps {
  readonly names: readonly string[]
  readonly gate: string | null
  readonly onChange: (name: string | null) => void
}

const ALL = 'All gates'

const GateChoice = ({ names, gate, onChange }: GateChoiceProps) => {
  const known = gate === null || names.includes(gate) ? names : [gate, ...names]
  if (known.length < 2 && gate === null) return <span />
  return (
    <NativeSelect
      aria-label="Gate"
      size="xs"
      w={200}
      data={[ALL, ...known]}
      value={gate ?? ALL}
      onChange={(event) => onChange(event.currentTarget.value === ALL ? null : event.currentTarget.value)}
    />
  )
}
