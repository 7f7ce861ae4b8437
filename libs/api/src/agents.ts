import { MODES } from '@weir/policy/model'
import { z } from 'zod'
import { problemListSchema, timeSchema } from './common.ts'

const gateReport = z.object({
  name: z.string(),
  mode: z.enum(MODES),
  limit: z.number(),
  active: z.number(),
  zombies: z.number(),
  waiting: z.number(),
  oldestAgeMs: z.number(),
  level: z.number(),
})
const dependencyReport = z.object({
  name: z.string(),
  ceiling: z.number(),
  inFlight: z.number(),
  breaker: z.enum(['closed', 'open', 'half-open']),
  breakerMode: z.string(),
  budgetLeft: z.number(),
})
const consumerReport = z.object({
  gate: z.string(),
  topic: z.string(),
  /** `null`: unknown, the consumer has no broker. */
  lagMs: z.number().nullable(),
  inHand: z.number(),
  running: z.number(),
  paused: z.boolean(),
})

/**
 * GET /environments/:environment/agents?service= . "Published" is never shown as "applied".
 * live: connected, or heard within three heartbeats; lost: counts in the split until presumed dead; ended: said bye or presumed dead.
 */
export const agentSchema = z.object({
  service: z.string(),
  instance: z.string(),
  zone: z.string().nullable(),
  host: z.string(),
  pid: z.int(),
  agentVersion: z.string(),
  modeOverride: z.enum(MODES).nullable(),
  presence: z.enum(['live', 'lost', 'ended']),
  connected: z.boolean(),
  intendedRevision: z.int(),
  appliedRevision: z.int().nullable(),
  /** pending: has not answered the intended revision yet; ahead: a restored database is older than the agent. */
  status: z.enum(['applied', 'partly', 'refused', 'pending', 'ahead', 'none']),
  refused: problemListSchema,
  source: z.enum(['stream', 'poll', 'disk', 'bootstrap', 'built-in']),
  startedAt: timeSchema,
  lastHeardAt: timeSchema,
  gates: z.array(gateReport),
  dependencies: z.array(dependencyReport),
  consumers: z.array(consumerReport),
  /** It was never answered what it asked of its quotas, and takes an even part of each: outside of what is counted. */
  uncounted: z.boolean(),
})
export type Agent = z.infer<typeof agentSchema>

/** GET …/services/:service/receipts: the newest first. */
export const receiptRowSchema = z.object({
  instance: z.string(),
  revision: z.int(),
  status: z.enum(['applied', 'partly', 'refused']),
  refused: problemListSchema,
  at: timeSchema,
})
export type ReceiptRow = z.infer<typeof receiptRowSchema>
