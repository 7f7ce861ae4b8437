import { z } from 'zod'
import { alertRuleNameSchema, severitySchema } from './alert-rules.ts'
import { pageQuerySchema, timeSchema } from './common.ts'

/** GET /environments/:environment/alerts?state=&service= : a page, the newest first. */
export const alertSchema = z.object({
  id: z.string(),
  service: z.string(),
  rule: alertRuleNameSchema,
  /** The gate, dependency or tenant that it is about; empty: the service. */
  subject: z.string(),
  severity: severitySchema,
  state: z.enum(['firing', 'resolved']),
  /** Why, in a sentence with the figures of the moment when it was raised. */
  summary: z.string(),
  /** The same figures, by name. */
  figures: z.record(z.string(), z.number()),
  /** What was judged, in the rule's unit: when raised, the worst since, and what the rule allows. */
  value: z.number(),
  worst: z.number(),
  threshold: z.number(),
  forSeconds: z.int(),
  /** Nobody new is told of it now. */
  silenced: z.boolean(),
  raisedAt: timeSchema,
  resolvedAt: timeSchema.nullable(),
})
export type Alert = z.infer<typeof alertSchema>
export const alertsQuerySchema = pageQuerySchema
  .omit({ search: true })
  .extend({ state: alertSchema.shape.state.optional(), service: z.string().max(128).optional() })
export type AlertsQuery = z.input<typeof alertsQuerySchema>
