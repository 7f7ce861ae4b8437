import { topicSchema } from '@weir/policy/items'
import { BREAKER_MODES, LIMITS, MODES } from '@weir/policy/model'
import { z } from 'zod'
import { WIRE } from '../model/bounds.ts'
import {
  type AgentMessage,
  BREAKER_STATES,
  type ControlMessage,
  POLICY_SOURCES,
  RECEIPT_STATUSES,
} from '../model/messages.ts'

/** What a store and a screen take as they are: two names that differ here differ there too. */
const id = z
  .string()
  .min(1)
  .max(128)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  .refine((name) => name.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(name), {
    error: 'Control characters and halves of characters are not allowed.',
  })
const count = z.int().min(0)
const duration = z.number().min(0).max(LIMITS.maxMs)
const scales = z
  .record(id, z.number().gt(0).max(1))
  .refine((given) => Object.keys(given).length <= LIMITS.topics, { error: `At most ${LIMITS.topics} resources.` })
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const revision = z.int().min(0)
const text = z.string().max(WIRE.messageBytes)
const identity = { databaseId: id, revision, hash }
/** From the root of an effective policy to its innermost member, and some. */
const MOST_STEPS = 16

const units = z.int().min(0)
const leaseName = { resource: id, tenant: z.string().min(1).max(LIMITS.tenantBytes), kind: z.enum(['rate', 'slots']) }
const leaseMs = z
  .number()
  .min(0)
  .max(WIRE.presumedDeadMs * 2)
const held = z.object({
  epoch: id,
  id: count,
  units,
  safe: units,
  expiresInMs: leaseMs,
  stepInMs: leaseMs,
  deadInMs: leaseMs,
})
const grant = z.object({
  epoch: id,
  id: count,
  quota: units,
  units,
  lengthMs: leaseMs,
  safe: units,
  waitMs: leaseMs,
  deadMs: leaseMs,
  refreshMs: leaseMs.min(10),
})

// Unknown members are dropped, not refused: an older end must understand a newer one.
const agent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    instance: id,
    boot: id,
    zone: id.nullable(),
    host: id,
    pid: count,
    agentVersion: id,
    modeOverride: z.enum(MODES).nullable(),
    applied: z.object(identity).nullable(),
    source: z.enum(POLICY_SOURCES),
  }),
  z.object({
    type: z.literal('receipt'),
    ...identity,
    status: z.enum(RECEIPT_STATUSES),
    refused: z.array(z.object({ path: text, message: text })).max(WIRE.refusedProblems),
  }),
  z.object({
    type: z.literal('report'),
    sequence: count,
    source: z.enum(POLICY_SOURCES),
    gates: z
      .array(
        z.object({
          name: id,
          mode: z.enum(MODES),
          limit: count,
          active: count,
          zombies: count,
          waiting: count,
          oldestAgeMs: z.number().min(0),
          level: count,
        }),
      )
      .max(LIMITS.items),
    dependencies: z
      .array(
        z.object({
          name: id,
          ceiling: count,
          inFlight: count,
          breaker: z.enum(BREAKER_STATES),
          breakerMode: z.enum(BREAKER_MODES),
          budgetLeft: z.number().min(0).max(1),
        }),
      )
      .max(LIMITS.items),
    consumers: z
      .array(
        z.object({
          gate: id,
          topic: topicSchema,
          lagMs: z.number().min(0).nullable(),
          inHand: count,
          running: count,
          paused: z.boolean(),
        }),
      )
      .max(LIMITS.items)
      .default([]),
    scales: scales.default({}),
    uncounted: z.boolean().default(false),
  }),
  z.object({
    type: z.literal('ask'),
    n: count,
    whole: z.boolean().default(true),
    asked: z
      .array(z.object({ ...leaseName, want: units, spare: units, used: units, inUse: units, held: held.nullable() }))
      .max(WIRE.leases),
  }),
  z.object({
    type: z.literal('obeyed'),
    obeyed: z.array(z.object({ ...leaseName, held, inUse: units })).max(WIRE.leases),
  }),
  z.object({ type: z.literal('resync'), revision }),
  z.object({ type: z.literal('pong'), n: count }),
  z.object({ type: z.literal('bye'), reason: text }),
])

const control = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    databaseId: id,
    environment: id,
    service: id,
    heartbeatMs: duration.min(10),
    reportMs: duration.min(10),
    exportMs: duration.min(10),
  }),
  // The policy itself is read item by item by the agent: one bad gate must not cost the others.
  z.object({
    type: z.literal('snapshot'),
    ...identity,
    effective: z.object({ policy: z.looseObject({}), quotas: z.looseObject({}) }),
  }),
  // As many as fit into a message; what they lead to is proved by its hash.
  z.object({
    type: z.literal('delta'),
    ...identity,
    from: z.object({ revision, hash }),
    changes: z.array(z.object({ path: z.array(z.string()).min(1).max(MOST_STEPS), value: z.unknown().optional() })),
  }),
  z
    .object({
      type: z.literal('lease'),
      allocator: z.literal('even'),
      agents: z.int().min(1),
      rank: count,
      scales: scales.optional(),
    })
    .refine((lease) => lease.rank < lease.agents, { path: ['rank'], error: 'rank must be below agents' }),
  z.object({
    type: z.literal('grants'),
    n: count,
    granted: z.array(z.object({ ...leaseName, grant })).max(WIRE.leases),
  }),
  z.object({ type: z.literal('settings'), reportMs: duration.min(10), exportMs: duration.min(10) }),
  z.object({ type: z.literal('ping'), n: count }),
  z.object({ type: z.literal('drain'), minMs: duration, maxMs: duration }),
])

export const agentMessageSchema = agent as unknown as z.ZodType<AgentMessage>
export const controlMessageSchema = control as unknown as z.ZodType<ControlMessage>
