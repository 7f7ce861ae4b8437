import type { Annotation } from '@weir/api'
import { Chart } from '../../charts/chart.tsx'
import { short } from '../../format/numbers.ts'
import { CALL_ACCOUNT, WORK_ACCOUNT } from '../../outcomes/books.ts'
import type { Compared } from '../../outcomes/earlier.ts'
import { thenLines } from '../../outcomes/use-then.ts'
import { workLines } from '../../outcomes/work-lines.ts'
import { Books } from '../../ui/books.tsx'
import { Happened } from '../../ui/happened.tsx'
import { Panel } from '../../ui/panel.tsx'
import { callLines } from './dependency-lines.ts'
import { chartOn, type Stage } from './stage.ts'

interface WorkPanelProps {
  readonly stage: Stage
  readonly annotations: readonly Annotation[]
  readonly compared: Compared | undefined
}

const BOOKS = {
  gate: { title: 'Work', asked: 'offered', account: WORK_ACCOUNT, lines: workLines('work') },
  dependency: { title: 'Calls', asked: 'calls', account: CALL_ACCOUNT, lines: callLines('work') },
} as const

/** What was asked for and what became of it, goodput first, with the sum that shows that nothing is left out, and what happened meanwhile. */
export const WorkPanel = ({ stage, annotations, compared }: WorkPanelProps) => {
  const { title, asked, account, lines } = BOOKS[stage.subject?.kind ?? 'gate']
  return (
    <Panel label={stage.subject === null ? 'Work of the service' : title}>
      <Chart
        title={title}
        unit="per second"
        lines={compared === undefined ? lines : [...lines, ...thenLines(compared, asked)]}
        format={short}
        height={260}
        {...chartOn(stage)}
      />
      <Books board={stage.board} line="work" bounds={stage.bounds} account={account} />
      <Happened environment={stage.environment} annotations={annotations} />
    </Panel>
  )
}
