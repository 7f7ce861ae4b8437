import { MODES } from '@weir/policy/model'
import { z } from 'zod'
import { ONE_BEGINNING, offsetSchema, pageOf, pageQuerySchema, problemListSchema, timeSchema } from './common.ts'

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
 * "Published" is never shown as "applied".
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

/**
 * Which agents are meant. running: all but the ended; refused: wholly or in part; fallback: runs on what it found at hand, unconfirmed; override: WEIR_MODE
 * is set in its process; uncounted: outside of what the leases count. Ended ones are in `ended` alone.
 */
export const AGENT_STATES = [
  'running',
  'refused',
  'pending',
  'fallback',
  'override',
  'uncounted',
  'lost',
  'ended',
] as const
export type AgentState = (typeof AGENT_STATES)[number]

/**
 * GET /environments/:environment/agents?service=&search=&state=&order=&cursor= or &offset= . `search`: a part of the service, instance, host, zone or
 * version, in either case. Without `state`: all, ended ones too. `urgent`: what needs a look first; a page is then one of the moment.
 */
export const agentsQuerySchema = pageQuerySchema
  .extend({
    service: z.string().max(128).optional(),
    state: z.enum(AGENT_STATES).optional(),
    order: z.enum(['name', 'urgent']).default('name'),
    offset: offsetSchema,
  })
  .refine(...ONE_BEGINNING)
export type AgentsQuery = z.output<typeof agentsQuerySchema>

/** `counts`: of all that fit the service and the search, whatever state was asked for. */
export const agentsSchema = pageOf(agentSchema).extend({
  counts: z.record(z.enum(['all', ...AGENT_STATES]), z.int()),
})
export type Agents = z.infer<typeof agentsSchema>
export type AgentTally = Agents['counts']

/** GET …/services/:service/reported: what the live agents of a service say of their gates, dependencies and consumers, summed; at most 500 of each. */
export const reportedSchema = z.object({
  gates: z.array(
    z.object({
      name: z.string(),
      processes: z.int(),
      limit: z.number(),
      inFlight: z.number(),
      waiting: z.number(),
      /** The highest of all processes. */
      level: z.number(),
      /** Processes in each mode. */
      modes: z.record(z.enum(MODES), z.int()),
      /** Processes whose WEIR_MODE beats the policy. */
      forced: z.int(),
    }),
  ),
  dependencies: z.array(
    z.object({
      name: z.string(),
      processes: z.int(),
      open: z.int(),
      halfOpen: z.int(),
      /** The least of all processes. */
      budgetLeft: z.number(),
    }),
  ),
  consumers: z.array(
    z.object({
      gate: z.string(),
      topic: z.string(),
      processes: z.int(),
      paused: z.int(),
      inHand: z.number(),
      running: z.number(),
      /** The longest; `null`: no process knows. */
      lagMs: z.number().nullable(),
    }),
  ),
})
export type Reported = z.infer<typeof reportedSchema>

/** GET …/services/:service/receipts: the newest first. */
export const receiptRowSchema = z.object({
  instance: z.string(),
  revision: z.int(),
  status: z.enum(['applied', 'partly', 'refused']),
  refused: problemListSchema,
  at: timeSchema,
})
export type ReceiptRow = z.infer<typeof receiptRowSchema>
