import { judge } from './checks.ts'
import {
  arrivedPerSecond,
  count,
  endedPerSecond,
  latencies,
  percentile,
  recovery,
  samplesOf,
  windowsOf,
} from './measure.ts'
import { MAX_LAG_MS, type Run, type Side, type Span } from './run.ts'
import type { Terms } from './scenarios/scenario.ts'

const CURVE_STEP_MS = 500

export interface CheckResult {
  readonly id: string
  readonly invariant: string
  /** `null`: does not apply, and `figure` says why. */
  readonly holds: boolean | null
  readonly figure: string
  readonly values: Readonly<Record<string, number | null>>
}

/** Rates per second and times in milliseconds, by half seconds. */
export interface Curves {
  readonly stepMs: number
  readonly offered: readonly number[]
  readonly good: readonly number[]
  readonly refused: readonly number[]
  /** Failed, or its caller gave up. */
  readonly lost: readonly number[]
  /** Of the good; `null` where there were none. */
  readonly p99Ms: readonly (number | null)[]
}

/** What one side of a scenario came to, as it is kept. */
export interface SideResult {
  readonly patienceMs: number
  readonly hold: Span
  readonly lagMs: number
  /** The generator was late: its figures say nothing. */
  readonly void: boolean
  readonly figures: Readonly<Record<string, number | null>>
  readonly reasons: Readonly<Record<string, number>>
  readonly checks: readonly CheckResult[]
  readonly curves: Curves
}

export interface Result {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly seed: number
  readonly capacity: number
  readonly sides: Readonly<Record<Side, SideResult>>
}

const round = (value: number): number | null => (Number.isFinite(value) ? Math.round(value * 1_000) / 1_000 : null)
const rounded = (values: Readonly<Record<string, number>>): Record<string, number | null> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, round(value)]))

const curvesOf = (run: Run, kinds: readonly string[]): Curves => {
  const windows = windowsOf([0, run.spans.after[1]], CURVE_STEP_MS)
  const rate = (outcomes: Parameters<typeof endedPerSecond>[2]) =>
    windows.map((span) => Math.round(endedPerSecond(run, span, { kinds, ...outcomes })))
  return {
    stepMs: CURVE_STEP_MS,
    offered: windows.map((span) => Math.round(arrivedPerSecond(run, span, { kinds }))),
    good: rate({ outcomes: ['ok'] }),
    refused: rate({ outcomes: ['refused', 'untyped'] }),
    lost: rate({ outcomes: ['failed', 'gave-up'] }),
    p99Ms: windows.map((ended) => round(percentile(latencies(run, { kinds, outcomes: ['ok'], ended }), 0.99))),
  }
}

const figuresOf = (run: Run, { capacity, left = 1, judged: kinds, scarce }: Terms) => {
  const { hold, after } = run.spans
  const good = endedPerSecond(run, hold, { kinds, outcomes: ['ok'] })
  const well = latencies(run, { kinds, outcomes: ['ok'], arrived: hold })
  const last = scarce.map((name) => samplesOf(run, name).at(-1))
  const samples = run.services.flatMap((service) => service.samples)
  const memory = run.services.map((service) => Math.max(...service.samples.map(({ rssMb }) => rssMb)))
  return rounded({
    offered: arrivedPerSecond(run, hold, { kinds }),
    goodput: good,
    share: good / (capacity * left),
    goodput_after: endedPerSecond(run, [after[0] + 2_000, Math.min(after[1], after[0] + 7_000)], {
      kinds,
      outcomes: ['ok'],
    }),
    p50_ms: percentile(well, 0.5),
    p99_ms: percentile(well, 0.99),
    refused: endedPerSecond(run, hold, { kinds, outcomes: ['refused', 'untyped'] }),
    lost: endedPerSecond(run, hold, { kinds, outcomes: ['failed', 'gave-up'] }),
    recovery_s: recovery(run, kinds) ?? Number.NaN,
    stale: last.reduce((sum, sample) => sum + (sample?.stale ?? 0), 0),
    memory_mb: memory.reduce((sum, mb) => sum + mb, 0),
    loop_ms: Math.max(...samples.map(({ loopMs }) => loopMs)),
    sent: count(run, { kinds }),
  })
}

export const sideOf = (run: Run, terms: Terms): SideResult => ({
  patienceMs: run.patienceMs,
  hold: run.spans.hold,
  lagMs: Math.round(run.records.lagMs),
  void: run.records.lagMs > MAX_LAG_MS,
  figures: { ...figuresOf(run, terms), ...rounded(terms.more?.(run) ?? {}) },
  reasons: run.records.reasons,
  checks: judge(run, terms).map(({ values = {}, ...found }) => ({ ...found, values: rounded(values) })),
  curves: curvesOf(run, terms.judged),
})
