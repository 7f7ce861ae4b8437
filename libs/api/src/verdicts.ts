import { z } from 'zod'
import { ONE_BEGINNING, offsetSchema, pageOf, pageQuerySchema, timeSchema } from './common.ts'
import { serviceSchema } from './services.ts'

/**
 * How a service stands. healthy: next to nothing is refused; shedding: refused on purpose while goodput holds; collapse: goodput falls though no less
 * is offered, or what is accepted does not end well; silent: nothing was heard of it lately.
 */
export const VERDICTS = ['collapse', 'silent', 'shedding', 'healthy'] as const
export type VerdictWord = (typeof VERDICTS)[number]

/**
 * What speaks against control (contract S4). goodput-falls: less than 70 % of what was done before with no more work; high-classes-refused: 5 % or
 * more of the two critical classes; queue-ages: the oldest waits twice as long as before, and over a second; ends-badly: a fifth of the accepted
 * work is late, failed or abandoned.
 */
export const VERDICT_SIGNS = ['goodput-falls', 'high-classes-refused', 'queue-ages', 'ends-badly'] as const
export type VerdictSign = (typeof VERDICT_SIGNS)[number]

/** One label of a cut, and its share of the refused work, 0..1. */
const partSchema = z.object({ label: z.string(), share: z.number() })

const troubledDependencySchema = z.object({
  name: z.string(),
  /** Mean time of an answer, ms: of the last minute, and of the quarter of an hour before. `null`: none. */
  meanMs: z.number().nullable(),
  beforeMs: z.number().nullable(),
  /** Of the calls, 0..1: failed or late, and refused here. */
  failedShare: z.number(),
  refusedShare: z.number(),
  /** Mean number of processes whose breaker was open. */
  breakersOpen: z.number(),
})
export type TroubledDependency = z.infer<typeof troubledDependencySchema>

/** Rates are per second, over the last half minute. */
export const verdictSchema = z.object({
  service: serviceSchema,
  verdict: z.enum(VERDICTS),
  /** When it began to stand like this; `null`: longer ago than is looked back, a quarter of an hour. */
  since: timeSchema.nullable(),
  /** The newest second with figures; `null`: none was heard in the last quarter of an hour. */
  heardAt: timeSchema.nullable(),
  offered: z.number(),
  goodput: z.number(),
  refused: z.number(),
  endedBadly: z.number(),
  /** Most goodput of the last hours while no more was offered than now. `null`: there was no such time. */
  goodputBefore: z.number().nullable(),
  oldestAgeMs: z.number(),
  signs: z.array(z.enum(VERDICT_SIGNS)),
  /** What most of the refused work has in common, one of each cut; `null`: nothing was refused. */
  reason: partSchema.nullable(),
  tenant: partSchema.nullable(),
  class: partSchema.nullable(),
  revision: partSchema.nullable(),
  /** Refused of the two critical classes, 0..1; `null`: none of them was offered. */
  highRefusedShare: z.number().nullable(),
  dependency: troubledDependencySchema.nullable(),
  /** Offered work and goodput per second over the last quarter of an hour; `null`: a gap. */
  trend: z.object({
    from: timeSchema,
    step: z.int(),
    offered: z.array(z.number().nullable()),
    goodput: z.array(z.number().nullable()),
  }),
})
export type Verdict = z.infer<typeof verdictSchema>

/** GET /environments/:environment/verdicts: the worst first. A page is one of the moment: pages that follow may know more. */
export const verdictsQuerySchema = pageQuerySchema
  .extend({
    /** Exactly this service. */
    service: z.string().max(128).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    offset: offsetSchema,
  })
  .refine(...ONE_BEGINNING)
export type VerdictsQuery = z.output<typeof verdictsQuerySchema>
export const verdictsSchema = pageOf(verdictSchema).extend({
  at: timeSchema,
  /** Services of the environment by how they stand. */
  counts: z.record(z.enum(VERDICTS), z.int()),
  /** Of those, the ones that fit the search. */
  found: z.int(),
  /** Over all services of the environment. */
  agents: serviceSchema.shape.agents,
  openAlerts: z.int(),
  alerting: z.int(),
})
export type Verdicts = z.infer<typeof verdictsSchema>

/** GET /environments/:environment/annotations?from=&to=&service= : what happened, to be marked on the time axis. The newest first, at most 200. */
export const annotationSchema = z.object({
  at: timeSchema,
  kind: z.enum(['published', 'alert-raised', 'alert-resolved']),
  service: z.string(),
  /** Short enough to stand beside a line: `v4`, `alert`. */
  label: z.string(),
  /** One sentence: who published and why, or what the alert is about. */
  detail: z.string(),
})
export type Annotation = z.infer<typeof annotationSchema>
export const annotationsQuerySchema = z.strictObject({
  from: timeSchema,
  to: timeSchema,
  service: z.string().max(128).optional(),
})
export type AnnotationsQuery = z.output<typeof annotationsQuerySchema>
export const annotationsSchema = z.object({ items: z.array(annotationSchema) })
export type Annotations = z.infer<typeof annotationsSchema>
