import { median } from '../rounds.ts'
import { PROMISED_WITHIN_MS, type Ran, type StageName } from './run.ts'

/**
 * One stage in figures. A share is of all answers. Rate and percentiles are of what is no answer by fallback: in the published stages of everything, errors
 * included; in the fifth of what the payment service answered, and errors.
 */
export interface Row {
  readonly name: string
  /** Answers a second that are none by fallback. */
  readonly rps: number
  /** Payments a second that the payment service answered. */
  readonly paid: number
  readonly errors: number
  readonly fallbacks: number
  readonly p50: number
  readonly p90: number
  readonly p95: number
  /** Of all answers, those by fallback included. */
  readonly p95_all: number
  /** Share of the time that the payment service was out of reach. */
  readonly down: number
  readonly deaths: number
}

/** What callers were told, against what the ledger says. Counts of payments. */
export interface Losses {
  readonly name: string
  readonly attemptsPerOrder: number
  /** Executed more than once. */
  readonly twice: number
  /** Told that it failed, and executed. */
  readonly chargedUnsaid: number
  /** Told that it failed, and not executed: the order is lost. */
  readonly turnedAway: number
  /** Told that it was paid or will be, and not executed. */
  readonly brokenPromises: number
  readonly deferred: number
  /** Of the deferred: executed exactly once, within a minute. */
  readonly deferredOnce: number
  /** From the answer to the execution of the slowest deferred one, seconds; 0 = none was deferred. */
  readonly slowestDeferredS: number
}

export const PUBLISHED: Readonly<
  Record<Exclude<StageName, 'weir'>, Omit<Row, 'name' | 'paid' | 'p95_all' | 'down' | 'deaths'>>
> = {
  base: { rps: 8.16, errors: 0.1643, fallbacks: 0, p50: 33, p90: 3_003, p95: 3_005 },
  retry: { rps: 11.03, errors: 0.0258, fallbacks: 0, p50: 17, p90: 468, p95: 1_148 },
  breaker: { rps: 13.0, errors: 0.0784, fallbacks: 0, p50: 12, p90: 197, p95: 400 },
  bulkhead: { rps: 12.56, errors: 0.07, fallbacks: 0, p50: 16, p90: 105, p95: 205 },
}

export const TITLES: Readonly<Record<StageName, string>> = {
  base: 'base (3 s timeout only)',
  retry: '+ retry',
  breaker: '+ circuit breaker',
  bulkhead: '+ bulkhead of 10',
  weir: 'Weir, the whole contract',
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

export const rowOf = ({ stage, ms, answers, deaths, downMs }: Ran): Row => {
  const inTime = answers.filter(({ answeredAt }) => answeredAt <= ms)
  const count = (kind: string): number => inTime.filter((answer) => answer.kind === kind).length
  const latencies = (of: typeof inTime) =>
    of.map(({ askedAt, answeredAt }) => answeredAt - askedAt).sort((a, b) => a - b)
  const direct = latencies(inTime.filter(({ kind }) => kind !== 'deferred'))
  return {
    name: stage,
    rps: direct.length / (ms / 1_000),
    paid: count('paid') / (ms / 1_000),
    errors: count('failed') / inTime.length,
    fallbacks: count('deferred') / inTime.length,
    p50: percentile(direct, 0.5),
    p90: percentile(direct, 0.9),
    p95: percentile(direct, 0.95),
    p95_all: percentile(latencies(inTime), 0.95),
    down: downMs / ms,
    deaths: deaths.length,
  }
}

export const lossesOf = ({ stage, startedAt, answers, attempts, executions }: Ran): Losses => {
  const timesOf = (payment: string): readonly number[] => executions.get(payment) ?? []
  const failed = answers.filter(({ kind }) => kind === 'failed')
  const promised = answers.filter(({ kind }) => kind !== 'failed')
  const deferred = answers.filter(({ kind }) => kind === 'deferred')
  const waited = deferred.map(({ payment, answeredAt }) => (timesOf(payment)[0] ?? Infinity) - startedAt - answeredAt)
  return {
    name: stage,
    attemptsPerOrder: attempts / answers.length,
    twice: [...executions.values()].filter(({ length }) => length > 1).length,
    chargedUnsaid: failed.filter(({ payment }) => timesOf(payment).length > 0).length,
    turnedAway: failed.filter(({ payment }) => timesOf(payment).length === 0).length,
    brokenPromises: promised.filter(({ payment }) => timesOf(payment).length === 0).length,
    deferred: deferred.length,
    deferredOnce: deferred.filter(
      ({ payment }, i) => timesOf(payment).length === 1 && (waited[i] ?? Infinity) <= PROMISED_WITHIN_MS,
    ).length,
    slowestDeferredS: Math.max(0, ...waited) / 1_000,
  }
}

export interface Round {
  readonly rows: readonly Row[]
  readonly losses: readonly Losses[]
}

type Numbers<T> = { readonly [K in keyof T]: T[K] extends number ? K : never }[keyof T]

/** By stage, the median of each figure over the rounds. */
export const medians = <T extends Row | Losses>(rounds: readonly (readonly T[])[]): T[] =>
  (rounds[0] ?? []).map((first, stage) => {
    const figure = (key: string) => median(rounds.map((rows) => rows[stage]?.[key as Numbers<T>] as number))
    const entries = Object.keys(first).map((key) => [key, key === 'name' ? first.name : figure(key)])
    return Object.fromEntries(entries) as T
  })

/** The whole contract against the other stages of the same rounds. */
export interface Verdict {
  /** p95 of what the payment service answered / p95 of the base stage. */
  readonly E1_p95: number
  /** Errors / those of the best of the other four. */
  readonly E1_errors: number
  /** Payments that the payment service answered, a second / those of the base stage. */
  readonly E1_rps: number
  /** Share of answers by fallback, less the share of the time that the payment service was out of reach. */
  readonly E1_fallback: number
  readonly void: boolean
}

/** Below this the base stage did not hang, and there was nothing to be better than. */
const LEAST_BASE_P95_MS = 2_900
/** Stands for "none" below a fraction. */
const HARDLY = 1e-6

export const verdictOf = (rounds: readonly Round[]): Verdict => {
  const of = (rows: readonly Row[], name: StageName): Row => rows.find((row) => row.name === name) as Row
  const over = (figure: (rows: readonly Row[]) => number) => median(rounds.map(({ rows }) => figure(rows)))
  const rows = medians(rounds.map((round) => round.rows))
  const weir = of(rows, 'weir')
  const lowest = Math.min(...rows.filter(({ name }) => name !== 'weir').map(({ errors }) => errors))
  return {
    E1_p95: over((rows) => of(rows, 'weir').p95 / of(rows, 'base').p95),
    E1_errors: weir.errors === 0 ? 0 : weir.errors / Math.max(lowest, HARDLY),
    E1_rps: over((rows) => of(rows, 'weir').paid / of(rows, 'base').paid),
    E1_fallback: over((rows) => of(rows, 'weir').fallbacks - of(rows, 'weir').down),
    void: of(rows, 'base').p95 < LEAST_BASE_P95_MS,
  }
}
