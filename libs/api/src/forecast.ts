import { z } from 'zod'
import { documentSchema } from './services.ts'

/** A count of work, by what became of it. `refused` = shed + expired. */
const fateSchema = z.object({
  offered: z.number(),
  accepted: z.number(),
  shed: z.number(),
  expired: z.number(),
  completed: z.number(),
  late: z.number(),
  failed: z.number(),
})
export type Fate = z.infer<typeof fateSchema>

const latencySchema = z.object({ p50: z.number(), p90: z.number(), p99: z.number() })

export const gatePredictionSchema = fateSchema.extend({
  classes: z.record(z.string(), fateSchema),
  /** The most offered first; at most 20, the rest as `other`. */
  tenants: z.record(z.string(), fateSchema),
  reasons: z.record(z.string(), z.number()),
  /** From arrival to end, of accepted work, milliseconds. `null`: nothing was accepted. */
  latencyMs: latencySchema.nullable(),
  waitMs: latencySchema.nullable(),
})
export type GatePrediction = z.infer<typeof gatePredictionSchema>

export const predictionSchema = z.object({
  gates: z.record(z.string(), gatePredictionSchema),
  arrivals: z.int(),
  /** Length of what was played, virtual seconds. */
  seconds: z.number(),
  /** How many of the processes were played: all, or enough of them. Counts are those of the simulated ones. */
  instances: z.object({ simulated: z.int(), of: z.int() }),
})
export type Prediction = z.infer<typeof predictionSchema>

/** One sentence about a gate. `warning`: the operator should think again before publishing. */
export const findingSchema = z.object({
  gate: z.string(),
  tone: z.enum(['warning', 'worse', 'better', 'same']),
  sentence: z.string(),
})
export type Finding = z.infer<typeof findingSchema>

/** POST …/services/:service/policy/forecast: what the document would do to the traffic of the last seconds, beside the policy in force. */
export const forecastRequestSchema = documentSchema.extend({ seconds: z.int().min(60).max(86_400).default(3_600) })
export const forecastSchema = z.object({
  /** `no-traffic`: nothing was offered in that time, so there is nothing to predict. */
  state: z.enum(['predicted', 'no-traffic']),
  from: z.string(),
  to: z.string(),
  findings: z.array(findingSchema),
  /** What limits the prediction, in sentences. */
  caveats: z.array(z.string()),
  draft: predictionSchema.nullable(),
  live: predictionSchema.nullable(),
})
export type Forecast = z.infer<typeof forecastSchema>
