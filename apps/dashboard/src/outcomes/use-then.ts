import { useEffect } from 'react'
import type { Line } from '../charts/lines.ts'
import type { Board } from './board.ts'
import { AGO, type Compared, movedToNow } from './earlier.ts'
import type { Range } from './range.ts'
import { type Asked, useOutcomes } from './use-history.ts'

export const COMPARED_TITLES: Readonly<Record<Compared, string>> = { '1h': 'an hour ago', '1d': 'a day ago' }

/** The compared time's own timeline on the board. */
const THEN = 'then'

/** Two lines more, drawn thin and in one grey: what was done and offered at that time. */
export const thenLines = (compared: Compared, asked: 'offered' | 'calls' = 'offered'): readonly Line[] => [
  {
    id: 'then-completed',
    label: `completed ${COMPARED_TITLES[compared]}`,
    tone: 'c8',
    line: THEN,
    figure: 'completed',
    factor: 'rate',
    width: 1,
  },
  {
    id: `then-${asked}`,
    label: `${asked} ${COMPARED_TITLES[compared]}`,
    tone: 'c8',
    line: THEN,
    figure: asked,
    factor: 'rate',
    width: 1,
    dash: [6, 4],
  },
]

/** Reads the same figures of the earlier time onto the board. */
export const useThen = (
  board: Board,
  environment: string,
  asked: Asked,
  range: Range,
  compared: Compared | undefined,
): void => {
  const ago = compared === undefined ? 0 : AGO[compared]
  const { data } = useOutcomes(environment, asked, range, { enabled: ago > 0, again: true, ago })
  useEffect(() => {
    if (data === undefined || ago === 0) return
    const moved = movedToNow(data, ago, board.step)
    if (moved.step === board.step) board.history(moved, () => THEN, true)
  }, [board, data, ago])
}
