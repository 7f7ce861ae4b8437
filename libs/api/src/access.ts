import { z } from 'zod'
import { nameSchema, timeSchema } from './common.ts'

/** A viewer reads, an editor also publishes, an admin also manages keys, operators and tokens. */
export const ROLES = ['viewer', 'editor', 'admin'] as const
export const roleSchema = z.enum(ROLES)
export type Role = z.infer<typeof roleSchema>

/**
 * Every write that is made with the session's cookie bears this header (any value, `1` by custom), besides an `Origin`
 * of our own: another site's page cannot set it without a preflight, which is never granted. API tokens need neither.
 * Sign-in and sign-out (`POST /api/auth/sign-in/email {email, password}`, `POST /sign-in-link`, `POST /api/auth/sign-out`)
 * need the Origin only.
 */
export const CSRF_HEADER = 'x-weir-csrf'

/** GET /me */
export const meSchema = z.object({
  kind: z.enum(['operator', 'token']),
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  role: roleSchema,
})
export type Me = z.infer<typeof meSchema>

/** POST /setup: makes the first operator; only while there is none. `token` is the set-up link's fragment. */
export const setupSchema = z.strictObject({
  token: z.string().min(1).max(256),
  name: z.string().trim().min(1).max(100),
  email: z.email().max(254),
  password: z.string().min(12, 'A password has at least 12 characters.').max(128),
})
export type Setup = z.infer<typeof setupSchema>

/** POST /sign-in-link: signs in with what a one-time sign-in link has in its fragment. 401: not one of ours; 410: used or too old. */
export const signInLinkSchema = z.strictObject({ token: z.string().min(1).max(256) })
export type SignInLink = z.infer<typeof signInLinkSchema>

/** GET /status, without a session: what the sign-in page needs. */
export const statusSchema = z.object({ version: z.string(), needsSetup: z.boolean(), databaseId: z.string() })
export type Status = z.infer<typeof statusSchema>

/** GET, POST /operators; PATCH, DELETE /operators/:id */
export const operatorSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: roleSchema,
  createdAt: timeSchema,
})
export type Operator = z.infer<typeof operatorSchema>
export const createOperatorSchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  email: z.email().max(254),
  password: z.string().min(12, 'A password has at least 12 characters.').max(128),
  role: roleSchema,
})
export type CreateOperator = z.infer<typeof createOperatorSchema>
export const updateOperatorSchema = z.strictObject({
  name: z.string().trim().min(1).max(100).optional(),
  role: roleSchema.optional(),
})

/** GET, POST /tokens; DELETE /tokens/:id. `secret` is shown once, in the answer to POST. */
export const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: roleSchema,
  prefix: z.string(),
  createdAt: timeSchema,
  expiresAt: timeSchema.nullable(),
  lastUsedAt: timeSchema.nullable(),
})
export type Token = z.infer<typeof tokenSchema>
export const createTokenSchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  role: roleSchema,
  expiresInDays: z.int().min(1).max(3650).nullable().default(90),
})
export const createdTokenSchema = tokenSchema.extend({ secret: z.string() })

/** GET, POST /environments/:environment/keys; DELETE …/keys/:id. An agent key is for one service; an ingest key (OTLP only) for a list. */
export const keySchema = z.object({
  id: z.string(),
  kind: z.enum(['agent', 'ingest']),
  name: z.string(),
  services: z.array(z.string()),
  prefix: z.string(),
  createdAt: timeSchema,
  lastUsedAt: timeSchema.nullable(),
  revokedAt: timeSchema.nullable(),
})
export type Key = z.infer<typeof keySchema>
export const createKeySchema = z
  .strictObject({
    kind: z.enum(['agent', 'ingest']).default('agent'),
    name: z.string().trim().min(1).max(100),
    services: z.array(nameSchema).min(1).max(100),
  })
  .refine((key) => key.kind === 'ingest' || key.services.length === 1, {
    path: ['services'],
    error: 'An agent key is for exactly one service.',
  })
export type CreateKey = z.input<typeof createKeySchema>
export const createdKeySchema = keySchema.extend({ secret: z.string() })
export type CreatedKey = z.infer<typeof createdKeySchema>

/** GET /audit?cursor=&limit=&search= : the newest first; `search` finds in actor, action, target, environment and service. */
export const auditSchema = z.object({
  id: z.string(),
  at: timeSchema,
  actor: z.string(),
  action: z.string(),
  environment: z.string().nullable(),
  service: z.string().nullable(),
  target: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
})
export type Audit = z.infer<typeof auditSchema>
