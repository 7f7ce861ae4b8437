import type { Board } from './board.ts'

/** Headline figures are averages of so many seconds: steady enough to be read, short enough to be now. */
export const RECENT_SECONDS = 10

/** What was heard longer ago is not shown as if it were now; telemetry every 10 s and its way are within. */
const STALE_SECONDS = 20

const FIGURES = ['offered', 'accepted', 'shed', 'expired', 'completed', 'ignored', 'failed', 'late']

/** Sums of the newest buckets that were heard, and how many seconds those cover; 0 seconds = nothing was heard lately. `now` in seconds. */
export const recentFigures = (
  board: Board,
  line: string,
  within: number,
  now: number,
): { figures: Record<string, number>; seconds: number } => {
  const timeline = board.line(line)
  const figures: Record<string, number> = {}
  if (timeline === undefined || now - timeline.latest > STALE_SECONDS + 2 * board.step) return { figures, seconds: 0 }
  const buckets = Math.max(1, Math.round(within / board.step))
  let seconds = 0
  for (let i = 0; i < buckets; i++) {
    const second = timeline.latest - i * board.step
    if (timeline.at(second, 'offered') === null) continue
    seconds += board.step
    for (const name of FIGURES) figures[name] = (figures[name] ?? 0) + (timeline.at(second, name) ?? 0)
  }
  return { figures, seconds }
}
