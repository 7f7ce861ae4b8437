import type { ChartProps } from '../../charts/chart.tsx'
import type { Mark } from '../../charts/plot.ts'
import type { Board } from '../../outcomes/board.ts'
import type { Range } from '../../outcomes/range.ts'

/** What every chart of the page shares: one board, one time, one cursor. */
export interface Stage {
  readonly environment: string
  readonly service: string
  readonly gate: string | null
  readonly range: Range
  readonly board: Board
  readonly bounds: () => readonly [number, number]
  readonly cursorKey: string
  readonly marks: readonly Mark[]
  readonly onZoom: (from: number, to: number) => void
  readonly onPick: (second: number) => void
}

/** What a chart takes from the stage. */
export const chartOn = (
  stage: Stage,
): Pick<ChartProps, 'board' | 'bounds' | 'cursorKey' | 'marks' | 'onZoom' | 'onPick'> => {
  const { board, bounds, cursorKey, marks, onZoom, onPick } = stage
  return { board, bounds, cursorKey, marks, onZoom, onPick }
}
