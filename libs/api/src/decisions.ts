import { z } from 'zod'
import { pageQuerySchema, timeSchema } from './common.ts'

const figure = z.number().nullable()

/** What decided, as it was at the decision; `null`: it was not asked, or the agent does not say it. */
export const decisionInputsSchema = z.object({
  /** Slots of the gate, or ceiling of the dependency. */
  limit: figure,
  /** Slots in use, zombies included. */
  inFlight: figure,
  /** In the queue of the gate. */
  waiting: figure,
  /** Overload level, 0 to 4. */
  level: figure,
  /** Until its deadline. */
  remainingMs: figure,
  /** Wait that the queue predicted. */
  predictedWaitMs: figure,
  /** As long as the queue lets anybody wait. */
  maxWaitMs: figure,
  /** Event-loop delay. */
  delayMs: figure,
  /** Slots that its class held, and those that are reserved for it. */
  classUsed: figure,
  classReserve: figure,
  /** Free slots that were kept for other classes. */
  keptIdle: figure,
  /** Slots that its tenant held, and may hold. */
  tenantHeld: figure,
  tenantConcurrency: figure,
  /** Units of rate that its tenant had left, and what the work costs. */
  tenantTokens: figure,
  cost: figure,
})

/** One refusal out of many, with everything that decided it. */
export const decisionSchema = z.object({
  id: z.string(),
  at: timeSchema,
  service: z.string(),
  instance: z.string(),
  kind: z.enum(['gate', 'dependency']),
  /** Of the gate or dependency. */
  name: z.string(),
  outcome: z.enum(['shed', 'expired']),
  /** One of the table of reasons. */
  reason: z.string(),
  /** Setting that decides for this reason, below the gate, the dependency, `quota` or `tenants`; `null`: none. */
  rule: z.string().nullable(),
  signal: z.string().nullable(),
  retryAfterMs: figure,
  /** `null`: the built-in policy. */
  revision: z.int().nullable(),
  class: z.string().nullable(),
  tenant: z.string().nullable(),
  route: z.string().nullable(),
  /** From its arrival to the refusal. */
  waitedMs: z.number(),
  /** Pieces of work that it stands for; 0: told for its reasons only. */
  standsFor: z.number(),
  traceId: z.string(),
  inputs: decisionInputsSchema,
})
export type Decision = z.infer<typeof decisionSchema>
export type DecisionInputs = z.infer<typeof decisionInputsSchema>

const word = z.string().min(1).max(256).optional()

/** GET /environments/:environment/decisions : a page of sampled refusals, the newest first. Kept for 24 hours. */
export const decisionsQuerySchema = pageQuerySchema.omit({ search: true }).extend({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  service: word,
  kind: decisionSchema.shape.kind.optional(),
  name: word,
  reason: word,
  class: word,
  tenant: word,
  instance: word,
  from: timeSchema.optional(),
  /** Exclusive. */
  to: timeSchema.optional(),
})
export type DecisionsQuery = z.input<typeof decisionsQuerySchema>
