import { IconCircleCheck, IconCircleHalf2, IconCircleX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Reported } from '@weir/api'
import { reportedQuery } from '../../api/queries.ts'
import { Chart } from '../../charts/chart.tsx'
import type { Line } from '../../charts/lines.ts'
import { duration, plural, share, short } from '../../format/numbers.ts'
import { useFill, useOutcomes } from '../../outcomes/use-history.ts'
import { Panel } from '../../ui/panel.tsx'
import { State } from '../../ui/state.tsx'
import ui from '../../ui/ui.module.css'
import classes from './service.module.css'
import { chartOn, type Stage } from './stage.ts'

/** Calls that the service makes, each dependency with books of its own: never added to the work of the gates. */
export const Dependencies = ({ stage }: { stage: Stage }) => {
  const { environment, service, range, board } = stage
  const history = useOutcomes(environment, { kind: 'dependency', service, groupBy: 'gate' }, range)
  useFill(board, history.data, (label) => `dependency:${label}`)
  const reported = useQuery(reportedQuery(environment, service)).data?.dependencies ?? []
  const names = new Set(history.data?.series.map(({ label }) => label) ?? [])
  for (const { name } of reported) names.add(name)
  if (names.size === 0) return null
  return (
    <>
      {[...names].sort().map((name) => (
        <Dependency key={name} name={name} stage={stage} reported={reported.find((one) => one.name === name)} />
      ))}
    </>
  )
}

const callLines = (line: string): Line[] => [
  {
    id: 'completed',
    label: 'completed',
    tone: 'completed',
    line,
    figure: 'completed',
    factor: 'rate',
    area: true,
    width: 2,
  },
  { id: 'calls', label: 'calls', tone: 'offered', line, figure: 'calls', factor: 'rate', dash: [6, 4] },
  { id: 'shed', label: 'refused here', tone: 'shed', line, figure: 'shed', factor: 'rate' },
  { id: 'failed', label: 'failed', tone: 'failed', line, figure: 'failed', factor: 'rate', dash: [9, 3, 2, 3] },
  { id: 'fallbacks', label: 'fallbacks', tone: 'late', line, figure: 'fallbacks', factor: 'rate', dash: [2, 3] },
]
const attemptLines = (line: string): Line[] => [
  { id: 'attempts', label: 'attempts', tone: 'accepted', line, figure: 'attempts', factor: 'rate', width: 2 },
  { id: 'retries', label: 'retries', tone: 'shed', line, figure: 'retries', factor: 'rate', dash: [6, 3] },
  {
    id: 'budget',
    label: 'budget was empty',
    tone: 'failed',
    line,
    figure: 'budgetExhausted',
    factor: 'rate',
    dash: [2, 3],
  },
]
const slotLines = (line: string): Line[] => [
  { id: 'inFlight', label: 'in flight', tone: 'completed', line, figure: 'inFlight', factor: 1, area: true, width: 2 },
  { id: 'ceiling', label: 'ceiling', tone: 'limit', line, figure: 'ceiling', factor: 1, dash: [6, 4] },
  { id: 'open', label: 'open breakers', tone: 'failed', line, figure: 'breakersOpen', factor: 1, dash: [9, 3, 2, 3] },
]

const answerLines = (line: string): Line[] => [
  { id: 'p50', label: 'p50', tone: 'completed', line, figure: 'p50', factor: 1, width: 2 },
  { id: 'p99', label: 'p99', tone: 'shed', line, figure: 'p99', factor: 1, dash: [6, 3] },
]
const budgetLines = (line: string): Line[] => [
  { id: 'budget', label: 'left', tone: 'accepted', line, figure: 'budgetLeft', factor: 1, area: true },
]

type Told = Reported['dependencies'][number] | undefined

const Dependency = ({ name, stage, reported }: { name: string; stage: Stage; reported: Told }) => {
  const line = `dependency:${name}`
  const common = { ...chartOn(stage), height: 160, format: short }
  return (
    <Panel id={`dependency-${name}`} title={`Dependency ${name}`} actions={<Breakers reported={reported} />}>
      <div className={classes.thirds}>
        <Chart title="Calls" unit="per second" lines={callLines(line)} {...common} />
        <Chart title="Attempts on the wire" unit="per second" lines={attemptLines(line)} {...common} />
        <Chart
          title="In flight against ceiling"
          unit="calls, all processes together"
          lines={slotLines(line)}
          {...common}
        />
        <Chart
          title="Answers"
          unit="from call to end"
          lines={answerLines(line)}
          least={0.001}
          {...common}
          format={duration}
        />
        <Chart title="Retry budget" unit="mean of the processes" lines={budgetLines(line)} {...common} format={share} />
      </div>
    </Panel>
  )
}

/** Where the breakers stand now, over the live agents. */
const Breakers = ({ reported }: { reported: Told }) => {
  if (reported === undefined) return <span className={ui.dim}>No live agent reports on it.</span>
  const { processes, open, halfOpen, budgetLeft } = reported
  return (
    <div className={ui.tags}>
      {open > 0 && (
        <State tone="bad" icon={<IconCircleX size={15} />}>
          Breaker open in {open} of {plural(processes, 'process', 'processes')}
        </State>
      )}
      {halfOpen > 0 && (
        <State tone="warn" icon={<IconCircleHalf2 size={15} />}>
          Half-open in {halfOpen}
        </State>
      )}
      {open + halfOpen === 0 && (
        <State tone="good" icon={<IconCircleCheck size={15} />}>
          Breakers closed
        </State>
      )}
      <span className={ui.dim}>Least retry budget left: {share(budgetLeft)}</span>
    </div>
  )
}
