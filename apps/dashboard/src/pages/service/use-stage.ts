import { useMemo } from 'react'
import type { FiguresSearch } from '../../app/search.ts'
import { serviceSplitter } from '../../outcomes/board.ts'
import { isoOf, isStreamed, type RangeSearch, rangeOf } from '../../outcomes/range.ts'
import type { Subject } from '../../outcomes/subject.ts'
import { type Asked, useBoard, useBounds, useFill, useOutcomes } from '../../outcomes/use-history.ts'
import { useMarks } from '../../outcomes/use-marks.ts'
import { useThen } from '../../outcomes/use-then.ts'
import { askedOf, type Stage } from './stage.ts'

/** Another address of the same page: `drop` leaves it, `push` lets the browser's back come to the former one. */
export type Change = (change: Partial<FiguresSearch>, drop?: readonly (keyof FiguresSearch)[], push?: boolean) => void

type Navigate = (to: {
  readonly search: (before: FiguresSearch) => FiguresSearch
  readonly replace: boolean
  readonly resetScroll: false
}) => unknown

export const changeBy =
  (navigate: Navigate): Change =>
  (change, drop = [], push = false) => {
    const search = (before: FiguresSearch): FiguresSearch => {
      const after = { ...before, ...change }
      for (const key of drop) delete after[key]
      return after
    }
    void navigate({ search, replace: !push, resetScroll: false })
  }

interface Place {
  readonly environment: string
  readonly service: string
  readonly subject: Subject | null
}

/** The figures of a service, a gate or a dependency over the time that the address names. */
export const useStage = (place: Place, search: FiguresSearch, change: Change) => {
  const { environment, service, subject } = place
  const range = useMemo(() => rangeOf(search), [search])
  const asked: Asked = { ...askedOf(place), groupBy: 'none' }
  const work = useOutcomes(environment, asked, range)
  const step = isStreamed(range) ? 1 : (work.data?.step ?? 60)
  const key = `${environment} ${service} ${subject?.kind} ${subject?.name}`
  const board = useBoard(key, range, step, serviceSplitter(subject))
  useFill(board, work.data, () => 'work')
  useThen(board, environment, asked, range, search.compare)
  const bounds = useBounds(range)
  const { annotations, marks } = useMarks(environment, service, range)
  const at = search.at === undefined ? null : Date.parse(search.at) / 1_000
  const show = (time: RangeSearch) => change(time, time.range === undefined ? ['range'] : ['from', 'to'], true)
  const stage: Stage = {
    ...place,
    range,
    board,
    bounds,
    marks: at === null ? marks : [...marks, { second: at, label: 'why?', tone: 'completed' }],
    onPick: (second) => change({ at: isoOf(Math.floor(second)) }, ['why']),
    cursorKey: key,
    onZoom: (from, to) => show({ from: isoOf(Math.floor(from)), to: isoOf(Math.ceil(to)) }),
  }
  return { stage, work, annotations, at, step, show }
}
