import { Chart, type ChartProps } from '../../charts/chart.tsx'
import { duration, plural, share, short } from '../../format/numbers.ts'
import { Panel } from '../../ui/panel.tsx'
import { answerLines, attemptLines, breakerLines, budgetLines, endingLines, slotLines } from './dependency-lines.ts'
import classes from './service.module.css'
import { chartOn, type Stage } from './stage.ts'

type Drawn = Pick<ChartProps, 'title' | 'unit' | 'lines' | 'format' | 'least' | 'most'>

const chartsOf = (processes: number): readonly Drawn[] => [
  {
    title: 'Breakers open',
    unit: processes === 0 ? 'processes' : `of ${plural(processes, 'process', 'processes')}`,
    lines: breakerLines('work'),
    format: short,
    least: Math.max(1, processes),
    ...(processes === 0 ? {} : { most: processes }),
  },
  {
    title: 'In flight against ceiling',
    unit: 'calls, all processes together',
    lines: slotLines('work'),
    format: short,
  },
  { title: 'Attempts on the wire', unit: 'per second', lines: attemptLines('work'), format: short },
  { title: 'Retry budget left', unit: 'mean of the processes', lines: budgetLines('work'), format: share, most: 1 },
  { title: 'Answers', unit: 'from call to end', lines: answerLines('work'), format: duration, least: 0.001 },
  { title: 'Other endings', unit: 'per second', lines: endingLines('work'), format: short },
]

/** The calling side from inside: breaker, bulkhead, retries. `processes`: how many report on it. */
export const DependencyCharts = ({ stage, processes }: { stage: Stage; processes: number }) => (
  <div className={classes.grid}>
    {chartsOf(processes).map((chart) => (
      <Panel key={chart.title} label={chart.title}>
        <Chart {...chart} {...chartOn(stage)} />
      </Panel>
    ))}
  </div>
)
