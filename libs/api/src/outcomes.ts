import { z } from 'zod'
import { timeSchema } from './common.ts'

/** Additive figures of a bucket. Gate figures and dependency figures are different books, never added together. */
export const GATE_FIGURES = [
  'offered',
  'accepted',
  'shed',
  'expired',
  'cancelledWaiting',
  'completed',
  'late',
  'failed',
  'cancelled',
  'abandoned',
  'ignored',
  'wouldShed',
  'deferred',
  'degraded',
] as const
export const DEPENDENCY_FIGURES = [
  'calls',
  'completed',
  'late',
  'failed',
  'cancelled',
  'shed',
  'attempts',
  'retries',
  'budgetExhausted',
  'fallbacks',
] as const
/** Summed over instances at each moment, averaged over the bucket; `oldestAgeMs` and `level` are the maximum. */
export const GATE_GAUGES = ['limit', 'active', 'zombies', 'waiting', 'deferring', 'oldestAgeMs', 'level'] as const
export const DEPENDENCY_GAUGES = ['inFlight', 'ceiling', 'breakersOpen', 'budgetLeft'] as const
/** From merged histograms, seconds. */
export const LATENCIES = ['waitP50', 'waitP99', 'p50', 'p90', 'p99'] as const

export const GROUPINGS = ['none', 'service', 'gate', 'class', 'tenant', 'reason', 'revision', 'instance'] as const

/**
 * GET /environments/:environment/outcomes. `step` in seconds is chosen by the server where not given: 1 up to an hour, 10 up to a day, 60 above.
 * At most 3,600 points a series, 50 series (the rest summed as `other`).
 */
export const outcomesQuerySchema = z.strictObject({
  kind: z.enum(['gate', 'dependency']).default('gate'),
  service: z.string().max(128).optional(),
  name: z.string().max(128).optional(),
  /** `true`: only gates marked edge, as fleet totals do. */
  edge: z.stringbool().optional(),
  groupBy: z.enum(GROUPINGS).default('none'),
  from: timeSchema,
  to: timeSchema,
  step: z.coerce
    .number()
    .int()
    .pipe(z.union([z.literal(1), z.literal(10), z.literal(60)]))
    .optional(),
})
export type OutcomesQuery = z.input<typeof outcomesQuerySchema>

/** `points[i]` belongs to `from + i * step`; `null` = nothing was heard in that bucket (a gap, not a zero). */
export const outcomesSchema = z.object({
  kind: z.enum(['gate', 'dependency']),
  from: timeSchema,
  to: timeSchema,
  step: z.int(),
  groupBy: z.enum(GROUPINGS),
  series: z.array(z.object({ label: z.string(), figures: z.record(z.string(), z.array(z.number().nullable())) })),
  /** Totals over the range, per figure. */
  totals: z.record(z.string(), z.number()),
  /** Left out of the figures: points booked at receipt because their clock was off by more than 5 s, repeated windows dropped. */
  skewed: z.int(),
})
export type Outcomes = z.infer<typeof outcomesSchema>

/**
 * GET /environments/:environment/outcomes/flaws?service= : gates of instances whose books did not add up in a window, the latest first, at most
 * 1,000; each is told for an hour, whichever replica found it.
 */
export const flawSchema = z.object({
  service: z.string(),
  instance: z.string(),
  gate: z.string(),
  /** `arrivals`: offered against accepted, deferred, shed, expired, left and waiting; `endings`: accepted against ended and active. */
  book: z.enum(['arrivals', 'endings']),
  /** Work that should have been left in the book at the end of the last such window, and what the instance said was. */
  expected: z.number(),
  told: z.number(),
  firstAt: timeSchema,
  lastAt: timeSchema,
  /** Windows in which it was so. */
  windows: z.int(),
  /** It was so within the last half a minute, by the control plane's clock. */
  off: z.boolean(),
})
export type Flaw = z.infer<typeof flawSchema>
export const flawsSchema = z.object({ items: z.array(flawSchema) })
export const flawsQuerySchema = z.strictObject({ service: z.string().max(128).optional() })
