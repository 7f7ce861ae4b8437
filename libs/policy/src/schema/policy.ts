import { z } from 'zod'
import { DEFAULT_TENANTS } from '../model/defaults.ts'
import { LIMITS } from '../model/limits.ts'
import type { EffectivePolicy, Policy } from '../model/policy.ts'
import { LEASE_EXPIRIES } from '../model/vocabulary.ts'
import { dependencySchema } from './dependency.ts'
import { feedbackSchema, topicSchema } from './feedback.ts'
import { gateSchema } from './gate.ts'
import { nameSchema } from './parts.ts'
import { quotaSchema } from './quota.ts'

const bounded = (what: string) => (value: Record<string, unknown>) =>
  Object.keys(value).length <= LIMITS.items || `At most ${LIMITS.items} ${what}.`

const items = <T extends z.ZodType>(what: string, schema: T) =>
  z
    .record(nameSchema, schema)
    .refine((value) => bounded(what)(value) === true, { error: `A policy has at most ${LIMITS.items} ${what}.` })
    .default({} as never)

/** Schema v1 of a service's policy document: `z.input` is what a person writes, `z.output` is complete and canonical. */
export const policySchema = z
  .strictObject({
    version: z.literal(1).default(1),
    gates: items('gates', gateSchema),
    dependencies: items('dependencies', dependencySchema),
    tenants: z
      .strictObject({
        unknown: z.enum(['allow', 'refuse']).default(DEFAULT_TENANTS.unknown),
        default: quotaSchema.default(DEFAULT_TENANTS.default),
        expiry: z.enum(LEASE_EXPIRIES).default(DEFAULT_TENANTS.expiry),
        holdSeconds: z.int().min(1).max(LIMITS.holdSeconds).default(DEFAULT_TENANTS.holdSeconds),
      })
      .prefault({}),
    feedback: z
      .record(topicSchema, feedbackSchema)
      .refine((value) => Object.keys(value).length <= LIMITS.topics, {
        error: `A policy follows at most ${LIMITS.topics} topics.`,
      })
      .default({}),
  })
  .superRefine(({ gates, feedback }, context) => {
    const drawn = new Set(Object.entries(gates).map(([name, gate]) => gate.resource ?? name))
    for (const [topic, { resource }] of Object.entries(feedback))
      if (!drawn.has(resource))
        context.addIssue({
          code: 'custom',
          path: ['feedback', topic, 'resource'],
          message: `No gate of this policy draws on "${resource}": its quotas would bind nobody.`,
        })
  })
  .transform(
    (document): Policy => ({
      ...document,
      gates: Object.fromEntries(
        Object.entries(document.gates).map(([name, gate]) => [name, { ...gate, resource: gate.resource ?? name }]),
      ),
    }),
  )

export type PolicyDocument = z.input<typeof policySchema>

/** Quotas by resource, then tenant. */
export const quotasSchema = z.record(nameSchema, z.record(z.string(), quotaSchema))

/** What a control plane pushes. Strict: an agent that must tolerate newer documents reads it item by item instead. */
export const effectiveSchema = z.strictObject({
  policy: policySchema,
  quotas: quotasSchema,
}) as z.ZodType<EffectivePolicy>
