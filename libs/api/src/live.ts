import { z } from 'zod'
import { agentSchema } from './agents.ts'
import { alertSchema } from './alerts.ts'
import { timeSchema } from './common.ts'

/** Sub-protocol and path of the dashboard's live socket; the session's cookie and Origin are checked at the upgrade. */
export const LIVE = { path: '/api/v1/live', subprotocol: 'weir.live.v1', maxMessageBytes: 16_384 } as const

/** From the dashboard. A new `watch` replaces the former; without `service` it is the overview of the environment. */
export const liveRequestSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('watch'),
    environment: z.string().max(128),
    service: z.string().max(128).nullable(),
  }),
  z.strictObject({ type: z.literal('pong') }),
])
export type LiveRequest = z.infer<typeof liveRequestSchema>

/** One finished second of one gate or dependency, summed over instances: what has arrived for `at` so far; a later message for the same second replaces it. */
export const liveRowSchema = z.object({
  kind: z.enum(['gate', 'dependency']),
  service: z.string(),
  name: z.string(),
  edge: z.boolean(),
  figures: z.record(z.string(), z.number()),
  /** Only when one service is watched: figures by reason, class and tenant. */
  by: z
    .record(z.enum(['reason', 'class', 'tenant']), z.record(z.string(), z.record(z.string(), z.number())))
    .optional(),
})
export type LiveRow = z.infer<typeof liveRowSchema>

/** To the dashboard. */
export const liveMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), at: timeSchema, databaseId: z.string() }),
  z.object({ type: z.literal('tick'), at: timeSchema, rows: z.array(liveRowSchema) }),
  /** Agents whose row changed; at most once a second. Without `service` watched: not sent. */
  z.object({ type: z.literal('agents'), service: z.string(), agents: z.array(agentSchema) }),
  z.object({
    type: z.literal('published'),
    service: z.string(),
    revision: z.int(),
    policyVersion: z.int(),
    author: z.string(),
    reason: z.string(),
    at: timeSchema,
  }),
  z.object({ type: z.literal('alert'), alert: alertSchema }),
  z.object({ type: z.literal('ping') }),
])
export type LiveMessage = z.infer<typeof liveMessageSchema>
