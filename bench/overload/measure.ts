import type { Sample } from './fleet/messages.ts'
import { OUTCOMES, type Outcome } from './load/plan.ts'
import type { Run, Span } from './run.ts'

/** Which requests: of which kinds, by which end, and when they arrived or ended. */
interface Chosen {
  readonly kinds?: readonly string[]
  readonly outcomes?: readonly Outcome[]
  readonly arrived?: Span
  readonly ended?: Span
}

const within = (at: number, span: Span | undefined): boolean => span === undefined || (at >= span[0] && at < span[1])

/** Latencies of the chosen requests, milliseconds from when they were to arrive, shortest first. */
export const latencies = ({ records }: Run, { kinds, outcomes, arrived, ended }: Chosen): Float64Array => {
  const { intendedMs, endMs, outcome, kind } = records
  const wanted = new Set((kinds ?? records.kinds).map((name) => records.kinds.indexOf(name)))
  const ends = new Set((outcomes ?? OUTCOMES).map((name) => OUTCOMES.indexOf(name)))
  const found: number[] = []
  for (let i = 0; i < intendedMs.length; i++) {
    const [from, to] = [intendedMs[i] as number, endMs[i] as number]
    if (wanted.has(kind[i] as number) && ends.has(outcome[i] as number) && within(from, arrived) && within(to, ended))
      found.push(to - from)
  }
  return Float64Array.from(found).sort()
}

export const count = (run: Run, chosen: Chosen): number => latencies(run, chosen).length
export const secondsIn = ([from, to]: Span): number => (to - from) / 1_000
/** So many a second ended in a span. */
export const endedPerSecond = (run: Run, span: Span, chosen: Chosen = {}): number =>
  count(run, { ...chosen, ended: span }) / secondsIn(span)
export const arrivedPerSecond = (run: Run, span: Span, chosen: Chosen = {}): number =>
  count(run, { ...chosen, arrived: span }) / secondsIn(span)

/** Of sorted values; NaN of none. */
export const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN

export const windowsOf = ([from, to]: Span, ms: number): Span[] =>
  Array.from({ length: Math.floor((to - from) / ms) }, (_, i) => [from + i * ms, from + (i + 1) * ms] as const)

export const samplesOf = (run: Run, service: string, span?: Span): readonly Sample[] =>
  run.services.find(({ name }) => name === service)?.samples.filter(({ atMs }) => within(atMs, span)) ?? []

/** How much a running count of a service grew in a span. */
export const grew = (run: Run, service: string, of: (sample: Sample) => number, span?: Span): number => {
  const samples = samplesOf(run, service, span)
  const [first, last] = [samples[0], samples.at(-1)]
  return first && last ? of(last) - of(first) : 0
}

export const booked = (run: Run, service: string, key: string): number =>
  run.services.find(({ name }) => name === service)?.books[key] ?? 0

const NORMAL_WINDOW_MS = 250
/** So many normal windows in a row are normality. */
const NORMAL_ROW = 4

/**
 * Seconds from the fall of the load until latency is what it was before: of four windows in a row 95 % of the requests end well, and the 90th percentile
 * is not above what the slowest hundredth knew before. `null`: not within the run.
 */
export const recovery = (run: Run, kinds: readonly string[]): number | null => {
  const usual = percentile(latencies(run, { kinds, outcomes: ['ok'], arrived: run.spans.calm }), 0.99)
  const windows = windowsOf(run.spans.after, NORMAL_WINDOW_MS)
  const normal = windows.map((arrived) => {
    const all = count(run, { kinds, arrived })
    const well = latencies(run, { kinds, arrived, outcomes: ['ok'] })
    return well.length >= 0.95 * all && (all === 0 || percentile(well, 0.9) <= usual)
  })
  const at = windows.findIndex((_, i) => normal.slice(i, i + NORMAL_ROW).filter(Boolean).length === NORMAL_ROW)
  return at < 0 ? null : (at * NORMAL_WINDOW_MS) / 1_000
}
