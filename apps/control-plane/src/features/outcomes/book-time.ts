/** Clocks may differ by this from ours. */
const SKEW_MS = 5_000
/** A numbered window may be this late: agents keep and re-send ten minutes of them, and their back-off is on top. */
const LATE_MS = 900_000
/** A longer window says nothing about the seconds inside it. */
const MAX_WINDOW_MS = 120_000
/** A point that does not say when its window began is taken for one of this length. */
const DEFAULT_WINDOW_MS = 1_000

export interface Booked {
  readonly startMs: number
  readonly endMs: number
  readonly skewed: boolean
}

/**
 * When a window of points is booked. Within 5 s of receipt: at its own time. A numbered window up to 15 min old too, since it is what a returning
 * agent re-sends after an outage. Anything else is booked at receipt, with its length kept, and counted as skewed. A clock that is slow by more
 * than 5 s and less than 15 min can therefore not be told from an outage: its figures are shown late, never lost.
 * `null`: the times are no window.
 */
export const bookTime = (startMs: number, endMs: number, receivedAtMs: number, numbered: boolean): Booked | null => {
  const start = startMs === 0 ? endMs - DEFAULT_WINDOW_MS : startMs
  const length = endMs - start
  if (!(length >= 0 && length <= MAX_WINDOW_MS) || !(endMs > 0)) return null
  const age = receivedAtMs - endMs
  const own = age >= -SKEW_MS && age <= (numbered ? LATE_MS : SKEW_MS)
  return own
    ? { startMs: start, endMs, skewed: false }
    : { startMs: receivedAtMs - length, endMs: receivedAtMs, skewed: true }
}

/** Shares are multiples of 2^-10, so that counts below 2^43 are split and added without any rounding, in any order. */
const GRAIN = 1024

export interface TimeShare {
  /** Start of a second, whole seconds since the epoch. */
  readonly second: number
  readonly share: number
}

/** How much of a window lies in each second, or in each piece of so many seconds, told by its first. The shares sum to exactly 1. */
export const timeShares = (startMs: number, endMs: number, pieceSeconds = 1): TimeShare[] => {
  const pieceMs = pieceSeconds * 1000
  const first = Math.floor(startMs / pieceMs)
  const last = Math.max(first, Math.ceil(endMs / pieceMs) - 1)
  if (first === last) return [{ second: first * pieceSeconds, share: 1 }]
  const shares: TimeShare[] = []
  let before = 0
  for (let piece = first; piece <= last; piece++) {
    const end = Math.min(endMs, (piece + 1) * pieceMs)
    const grains = piece === last ? GRAIN : Math.round(((end - startMs) / (endMs - startMs)) * GRAIN)
    if (grains > before) shares.push({ second: piece * pieceSeconds, share: (grains - before) / GRAIN })
    before = grains
  }
  return shares
}

/** Lengths of pieces: each divides a minute. */
const PIECES = [1, 2, 5, 10, 30, 60] as const
/** Points times further seconds that a request may be split into: one of 5,000 points that each tell of ten seconds is well inside. */
const MAX_SPREAD = 100_000

/**
 * The pieces that the windows of a request are split into. A few thousand points of two minutes would make half a million rows, which take seconds to make:
 * past the bound they are told more coarsely, nothing of them is lost. `spread`: seconds beyond the first of each point, added up.
 */
export const piecesOf = (spread: number): { readonly pieceSeconds: number; readonly spread: number } => {
  const pieceSeconds = PIECES.find((seconds) => spread / seconds <= MAX_SPREAD) ?? 60
  return { pieceSeconds, spread: spread / pieceSeconds }
}
