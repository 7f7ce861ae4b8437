import { quotaSchema } from '@weir/policy/schema'
import { z } from 'zod'
import { nameSchema, problemListSchema, reasonSchema, timeSchema, versionSchema } from './common.ts'

/** GET, POST /environments */
export const environmentSchema = z.object({ name: z.string(), createdAt: timeSchema, services: z.int() })
export type Environment = z.infer<typeof environmentSchema>
export const createEnvironmentSchema = z.strictObject({ name: nameSchema })

/** GET, POST /environments/:environment/services; GET …/services/:service */
export const serviceSchema = z.object({
  environment: z.string(),
  name: z.string(),
  createdAt: timeSchema,
  /** Effective revision; 0 before the first publish or quota. */
  revision: z.int(),
  hash: z.string().nullable(),
  policyVersion: z.int(),
  publishedAt: timeSchema.nullable(),
  agents: z.object({ live: z.int(), applied: z.int(), refused: z.int(), pending: z.int() }),
  openAlerts: z.int(),
})
export type Service = z.infer<typeof serviceSchema>
export const createServiceSchema = z.strictObject({ name: nameSchema })

/** The text that an operator writes. YAML is a superset of JSON, `format` only says how to show it. */
export const documentSchema = z.strictObject({
  document: z.string().max(262_144),
  format: z.enum(['yaml', 'json']).default('yaml'),
})

/** GET …/services/:service/policy (ETag = what publish and rollback want in If-Match), …/policy/versions, …/policy/versions/:version */
export const policyVersionSchema = z.object({
  version: z.int(),
  /** Effective revision that this version led to. */
  revision: z.int(),
  document: z.string(),
  format: z.enum(['yaml', 'json']),
  author: z.string(),
  reason: z.string(),
  createdAt: timeSchema,
  rolledBackTo: z.int().nullable(),
})
export type PolicyVersion = z.infer<typeof policyVersionSchema>
/** Answer of GET …/policy: `published` is null before the first publish (version 0). */
export const policyStateSchema = z.object({ version: z.int(), published: policyVersionSchema.nullable() })
export type PolicyState = z.infer<typeof policyStateSchema>

/** GET, PUT (If-Match / If-None-Match: *), DELETE …/policy/draft: one shared draft per service, with its own ETag. */
export const draftSchema = z.object({
  document: z.string(),
  format: z.enum(['yaml', 'json']),
  basedOn: z.int(),
  author: z.string(),
  updatedAt: timeSchema,
})
export type Draft = z.infer<typeof draftSchema>
export const putDraftSchema = documentSchema.extend({ basedOn: versionSchema })

/** POST …/policy/validate */
export const validationSchema = z.object({ ok: z.boolean(), problems: problemListSchema })
export type Validation = z.infer<typeof validationSchema>

/** POST …/policy/diff: what publishing the document would change, in words. */
export const changeSchema = z.object({
  path: z.string(),
  kind: z.enum(['added', 'removed', 'changed']),
  sentence: z.string(),
  tightens: z.boolean().nullable(),
})
export type Change = z.infer<typeof changeSchema>
export const diffRequestSchema = documentSchema.extend({ against: versionSchema.optional() })
export const diffSchema = z.object({ against: z.int(), changes: z.array(changeSchema), unsupportedBy: z.int() })
export type Diff = z.infer<typeof diffSchema>

/** POST …/policy/publish (If-Match) */
export const publishSchema = documentSchema.extend({ reason: reasonSchema })
/** POST …/policy/rollback (If-Match): publishes an earlier version again as a new one. */
export const rollbackSchema = z.strictObject({ version: versionSchema.min(1), reason: reasonSchema })

/** GET …/quotas; GET, PUT (If-Match / If-None-Match: *), DELETE (If-Match) …/quotas/:resource/:tenant */
export const quotaRowSchema = z.object({
  resource: z.string(),
  tenant: z.string(),
  rate: z.number().nullable(),
  burst: z.number().nullable(),
  concurrency: z.int().nullable(),
  weight: z.number(),
  version: z.int(),
  updatedBy: z.string(),
  updatedAt: timeSchema,
})
export type QuotaRow = z.infer<typeof quotaRowSchema>
export const putQuotaSchema = z.strictObject({ quota: quotaSchema, reason: reasonSchema })
/** Query of DELETE …/quotas/:resource/:tenant. */
export const removeQuotaSchema = z.strictObject({ reason: reasonSchema.default('Quota removed') })
export type PutQuota = z.input<typeof putQuotaSchema>
/** Answer of a publish, a roll-back or a quota write. */
export const publishedSchema = z.object({ revision: z.int(), hash: z.string(), changed: z.boolean(), version: z.int() })
export type Published = z.infer<typeof publishedSchema>
