import type { ChartProps } from '../../charts/chart.tsx'
import type { Mark } from '../../charts/plot.ts'
import type { Board } from '../../outcomes/board.ts'
import type { Range } from '../../outcomes/range.ts'
import type { Subject } from '../../outcomes/subject.ts'
import type { Asked } from '../../outcomes/use-history.ts'

/** What every chart of the page shares: one board, one time, one cursor. */
export interface Stage {
  readonly environment: string
  readonly service: string
  /** `null`: all gates of the service. */
  readonly subject: Subject | null
  readonly range: Range
  readonly board: Board
  readonly bounds: () => readonly [number, number]
  readonly cursorKey: string
  readonly marks: readonly Mark[]
  readonly onZoom: (from: number, to: number) => void
  readonly onPick: (second: number) => void
}

/** Whose figures are asked for. */
export const askedOf = ({
  service,
  subject,
}: Pick<Stage, 'service' | 'subject'>): Pick<Asked, 'service' | 'kind' | 'name'> =>
  subject === null ? { service } : { service, kind: subject.kind, name: subject.name }

/** What a chart takes from the stage. */
export const chartOn = (
  stage: Stage,
): Pick<ChartProps, 'board' | 'bounds' | 'cursorKey' | 'marks' | 'onZoom' | 'onPick'> => {
  const { board, bounds, cursorKey, marks, onZoom, onPick } = stage
  return { board, bounds, cursorKey, marks, onZoom, onPick }
}
