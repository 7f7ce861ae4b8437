/** The ranges of the picker, in seconds. */
export const RANGES = { '15m': 900, '1h': 3_600, '6h': 21_600, '24h': 86_400, '7d': 604_800 } as const
export type RangeName = keyof typeof RANGES

/** What of the URL says which time is shown: a named range that ends now, or two times. */
export interface RangeSearch {
  range?: RangeName
  from?: string
  to?: string
}

/** The time shown. `live` ends now and moves; else it is fixed between two times. Seconds since the epoch. */
export type Range =
  | { readonly live: true; readonly name: RangeName; readonly seconds: number }
  | { readonly live: false; readonly from: number; readonly to: number; readonly seconds: number }

/** Up to an hour is drawn second by second and fed by the live socket; longer ranges are read from history again and again. */
const LIVE_SECONDS = 3_600

const DEFAULT_RANGE: RangeName = '15m'

const isRangeName = (value: unknown): value is RangeName => typeof value === 'string' && Object.hasOwn(RANGES, value)

export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && Number.isFinite(Date.parse(value))

/** Reads the range out of a URL's search; what makes no sense is left out, never refused. */
export const rangeSearch = (search: Record<string, unknown>): RangeSearch => {
  if (isTime(search.from) && isTime(search.to) && Date.parse(search.from) < Date.parse(search.to))
    return { from: search.from, to: search.to }
  return isRangeName(search.range) && search.range !== DEFAULT_RANGE ? { range: search.range } : {}
}

export const rangeOf = (search: RangeSearch): Range => {
  if (search.from !== undefined && search.to !== undefined) {
    const from = Math.floor(Date.parse(search.from) / 1000)
    const to = Math.max(from + 1, Math.ceil(Date.parse(search.to) / 1000))
    return { live: false, from, to, seconds: to - from }
  }
  const name = search.range ?? DEFAULT_RANGE
  return { live: true, name, seconds: RANGES[name] }
}

/** Equal for equal ranges, whatever object says so. */
export const rangeKey = (range: Range): string => (range.live ? range.name : `${range.from}-${range.to}`)

/** Whether the range is short enough to be fed second by second. */
export const isStreamed = (range: Range): boolean => range.live && range.seconds <= LIVE_SECONDS

/** The two ends in seconds, given the present second. */
export const boundsOf = (range: Range, nowSecond: number): { from: number; to: number } =>
  range.live ? { from: nowSecond - range.seconds, to: nowSecond } : { from: range.from, to: range.to }

/** Seconds are kept for an hour. A question takes a moment to arrive: asked for all of it, the answer would be in coarser buckets. */
const KEPT_SECONDS = LIVE_SECONDS - 5

/** The two ends to ask history for: what is drawn second by second is asked for as far as it is still kept so. */
export const askedBounds = (range: Range, nowSecond: number): { from: number; to: number } => {
  const { from, to } = boundsOf(range, nowSecond)
  return isStreamed(range) ? { from: Math.max(from, nowSecond - KEPT_SECONDS), to } : { from, to }
}

export const isoOf = (second: number): string => new Date(second * 1000).toISOString()
