import { useQuery } from '@tanstack/react-query'
import type { Outcomes, OutcomesQuery } from '@weir/api'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { fetchOutcomes } from '../api/figures.ts'
import { useHub, useLiveMessages, useLiveStatus } from '../app/live.tsx'
import { Board, type Splitter } from './board.ts'
import { askedBounds, boundsOf, isoOf, isStreamed, type Range, rangeKey } from './range.ts'

/** How often history stands in for the live socket while that is down. */
const STAND_IN_MS = 5_000
const LONG_RANGE_MS = 10_000

export type Asked = Omit<OutcomesQuery, 'from' | 'to'>

const refreshMs = (range: Range, live: boolean, again: boolean): number | false => {
  if (!range.live) return false
  if (again || !isStreamed(range)) return LONG_RANGE_MS
  return live ? false : STAND_IN_MS
}

/** Reads one outcomes query over the range, or over the same time `ago` seconds earlier: once where the live socket goes on from there, again and again where it does not, or where `again` says so. */
export const useOutcomes = (
  environment: string,
  asked: Asked,
  range: Range,
  { enabled = true, again = false, ago = 0 }: { enabled?: boolean; again?: boolean; ago?: number } = {},
) => {
  const hub = useHub()
  const status = useLiveStatus()
  const every = refreshMs(range, status === 'live', again)
  const query = useQuery({
    queryKey: ['outcomes', environment, asked, rangeKey(range), ago],
    queryFn: ({ signal }) => {
      const { from, to } = (ago > 0 ? boundsOf : askedBounds)(range, hub.serverSecond - ago)
      const shift = range.live ? 0 : ago
      return fetchOutcomes(environment, { ...asked, from: isoOf(from - shift), to: isoOf(to - shift) }, signal)
    },
    refetchInterval: every,
    structuralSharing: false,
    gcTime: 0,
    staleTime: range.live ? 0 : Number.POSITIVE_INFINITY,
    enabled,
  })
  const { refetch } = query
  const before = useRef(status)
  useEffect(() => {
    const cameBack = before.current === 'down' && status === 'live'
    before.current = status
    if (cameBack && range.live && enabled) void refetch()
  }, [status, refetch, range.live, enabled])
  return query
}

/** Spare buckets, so that a window that moves never reads what was just overwritten. */
const SPARE = 60

/** The board of a page: fed by the live socket where the range is streamed. Another key makes another board. */
export const useBoard = (key: string, range: Range, step: number, split: Splitter): Board => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when the splitter is another one
  const board = useMemo(
    () => new Board(step, Math.ceil(range.seconds / step) + SPARE, split),
    [key, range.seconds, step, rangeKey(range)],
  )
  const streamed = isStreamed(range)
  const { live } = range
  useEffect(() => {
    if (!live) return
    const timer = setInterval(() => board.touch(), STAND_IN_MS)
    return () => clearInterval(timer)
  }, [board, live])
  useLiveMessages(
    useCallback(
      (message) => {
        if (streamed && message.type === 'tick')
          board.tick({ second: Math.floor(Date.parse(message.at) / 1000), rows: message.rows })
      },
      [board, streamed],
    ),
  )
  return board
}

/** Writes an answer of history into the board. */
export const useFill = (board: Board, data: Outcomes | undefined, nameOf: (label: string) => string): void => {
  const status = useLiveStatus()
  const over = useRef(status !== 'live')
  over.current = status !== 'live'
  const name = useRef(nameOf)
  name.current = nameOf
  useEffect(() => {
    if (data !== undefined && data.step === board.step) board.history(data, name.current, over.current)
  }, [board, data])
}

/** The two ends of the time shown, read at every frame. */
export const useBounds = (range: Range): (() => readonly [number, number]) => {
  const hub = useHub()
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal ranges are one range, whatever object says so
  return useMemo(() => {
    return () => {
      const { from, to } = boundsOf(range, hub.serverSecond)
      return [from, to] as const
    }
  }, [hub, rangeKey(range), range.seconds])
}
