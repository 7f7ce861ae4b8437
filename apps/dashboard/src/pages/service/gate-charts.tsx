import { Chart, type ChartProps } from '../../charts/chart.tsx'
import type { Line } from '../../charts/lines.ts'
import { duration, short } from '../../format/numbers.ts'
import { Panel } from '../../ui/panel.tsx'
import classes from './service.module.css'
import { chartOn, type Stage } from './stage.ts'

const ENDINGS: Line[] = [
  { id: 'late', label: 'late', tone: 'late', line: 'work', figure: 'late', factor: 'rate', dash: [6, 3] },
  { id: 'failed', label: 'failed', tone: 'failed', line: 'work', figure: 'failed', factor: 'rate' },
  { id: 'cancelled', label: 'cancelled', tone: 'c8', line: 'work', figure: 'cancelled', factor: 'rate', dash: [2, 3] },
  {
    id: 'would',
    label: 'would be shed (observe)',
    tone: 'shed',
    line: 'work',
    figure: 'wouldShed',
    factor: 'rate',
    dash: [9, 3, 2, 3],
  },
]
const WAIT: Line[] = [
  {
    id: 'age',
    label: 'age of the oldest',
    tone: 'shed',
    line: 'work',
    figure: 'oldestAgeMs',
    factor: 0.001,
    area: true,
  },
  { id: 'p50', label: 'wait p50', tone: 'completed', line: 'work', figure: 'waitP50', factor: 1 },
  { id: 'p99', label: 'wait p99', tone: 'c3', line: 'work', figure: 'waitP99', factor: 1, dash: [6, 3] },
]
const QUEUE: Line[] = [
  { id: 'waiting', label: 'waiting', tone: 'shed', line: 'work', figure: 'waiting', factor: 1, area: true },
  { id: 'deferring', label: 'deferring', tone: 'accepted', line: 'work', figure: 'deferring', factor: 1, dash: [2, 3] },
]
const SLOTS: Line[] = [
  {
    id: 'active',
    label: 'in flight',
    tone: 'completed',
    line: 'work',
    figure: 'active',
    factor: 1,
    area: true,
    width: 2,
  },
  { id: 'limit', label: 'limit', tone: 'limit', line: 'work', figure: 'limit', factor: 1, dash: [6, 4] },
  { id: 'zombies', label: 'zombies', tone: 'failed', line: 'work', figure: 'zombies', factor: 1, dash: [9, 3, 2, 3] },
]
const LATENCY: Line[] = [
  { id: 'p50', label: 'p50', tone: 'completed', line: 'work', figure: 'p50', factor: 1, width: 2 },
  { id: 'p90', label: 'p90', tone: 'accepted', line: 'work', figure: 'p90', factor: 1, dash: [2, 3] },
  { id: 'p99', label: 'p99', tone: 'shed', line: 'work', figure: 'p99', factor: 1, dash: [6, 3] },
]

const LEVEL: Line[] = [
  { id: 'level', label: 'level of the worst', tone: 'shed', line: 'work', figure: 'level', factor: 1, area: true },
]

const CHARTS: readonly (Pick<ChartProps, 'title' | 'unit' | 'lines' | 'format' | 'least'> & { label: string })[] = [
  {
    label: 'Slots',
    title: 'In flight against limit',
    unit: 'slots, all processes together',
    lines: SLOTS,
    format: short,
  },
  { label: 'Queue', title: 'Queue', unit: 'work, all processes together', lines: QUEUE, format: short },
  { label: 'Wait', title: 'Wait', unit: 'from arrival to start', lines: WAIT, format: duration, least: 0.01 },
  {
    label: 'Latency',
    title: 'Latency',
    unit: 'from arrival to end',
    lines: LATENCY,
    format: duration,
    least: 0.001,
  },
  {
    label: 'Overload level',
    title: 'Overload level',
    unit: '0 sheds nothing, each level one class more',
    lines: LEVEL,
    format: short,
    least: 4,
  },
  { label: 'Endings other than completed', title: 'Other endings', unit: 'per second', lines: ENDINGS, format: short },
]

/** The gate from inside. Over several gates percentiles and ages are those of the worst, never an average. */
export const GateCharts = ({ stage }: { stage: Stage }) => (
  <div className={classes.grid}>
    {CHARTS.map(({ label, ...chart }) => (
      <Panel key={label} label={label}>
        <Chart {...chart} {...chartOn(stage)} />
      </Panel>
    ))}
  </div>
)
