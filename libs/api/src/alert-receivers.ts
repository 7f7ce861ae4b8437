import { z } from 'zod'
import { alertRuleNameSchema, severitySchema } from './alert-rules.ts'
import { nameSchema, reasonSchema, timeSchema } from './common.ts'

/** Which alerts of the environment are meant: an empty list is any. */
export const alertMatchersSchema = z.strictObject({
  services: z.array(nameSchema).max(100).default([]),
  rules: z.array(alertRuleNameSchema).max(50).default([]),
  severities: z.array(severitySchema).max(3).default([]),
})
export type AlertMatchers = z.output<typeof alertMatchersSchema>

/**
 * GET, POST /environments/:environment/silences; DELETE …/silences/:id ends one. One that begins later is a maintenance window. A silence holds back
 * what nobody was told of yet; what somebody was told of is still told to be over.
 */
export const silenceSchema = z.object({
  id: z.string(),
  state: z.enum(['active', 'planned', 'ended']),
  matchers: alertMatchersSchema,
  from: timeSchema,
  to: timeSchema,
  author: z.string(),
  reason: z.string(),
  createdAt: timeSchema,
})
export type Silence = z.infer<typeof silenceSchema>

const LONGEST_SILENCE_MS = 92 * 86_400_000
/** Without `from`: from now on. At most 92 days. */
export const createSilenceSchema = z
  .strictObject({
    matchers: alertMatchersSchema.prefault({}),
    from: timeSchema.optional(),
    to: timeSchema,
    reason: reasonSchema,
  })
  .refine(({ from, to }) => from === undefined || Date.parse(from) < Date.parse(to), {
    path: ['to'],
    error: 'It ends before it begins.',
  })
  .refine(
    ({ from, to }) => Date.parse(to) - (from === undefined ? Date.now() : Date.parse(from)) <= LONGEST_SILENCE_MS,
    {
      path: ['to'],
      error: 'A silence lasts at most 92 days.',
    },
  )
export type CreateSilence = z.input<typeof createSilenceSchema>

export const RECEIVER_KINDS = ['alertmanager', 'webhook', 'slack', 'email'] as const
export type ReceiverKind = (typeof RECEIVER_KINDS)[number]

const target = z
  .url({ protocol: /^https?$/, error: 'It must be an http or https address.' })
  .max(2_000)
  .refine((url) => URL.canParse(url) && new URL(url).username === '' && new URL(url).password === '', {
    error: 'An address holds no user name or password: give a secret.',
  })
/** Signs or authenticates: it is never shown again. */
const secret = z.string().min(16, 'A secret has at least 16 characters.').max(1_000)
const common = {
  name: z.string().trim().min(1).max(100),
  matchers: alertMatchersSchema.prefault({}),
}

/**
 * GET, POST /environments/:environment/receivers; PUT (If-Match), DELETE …/receivers/:id; POST …/receivers/:id/test sends a test message now.
 * `watchdog`: is told every minute that alerts are judged, so that silence means that they are not. In PUT a secret that is left out stays as it is.
 */
export const receiverInputSchema = z.discriminatedUnion('kind', [
  /** Alertmanager's API v2, at its base address. `secret`: a bearer token. */
  z.strictObject({
    ...common,
    kind: z.literal('alertmanager'),
    url: target,
    secret: secret.optional(),
    watchdog: z.boolean().default(true),
  }),
  /** JSON with `weir-signature`. Without a secret in POST one is made, and is in that answer only. */
  z.strictObject({
    ...common,
    kind: z.literal('webhook'),
    url: target,
    secret: secret.optional(),
    watchdog: z.boolean().default(false),
  }),
  /** Slack's incoming webhooks, and what speaks like them. The address is the secret, and never shown again: in PUT it may be left out. */
  z.strictObject({ ...common, kind: z.literal('slack'), url: target.optional() }),
  z.strictObject({ ...common, kind: z.literal('email'), to: z.array(z.email().max(254)).min(1).max(20) }),
])
export type ReceiverInput = z.input<typeof receiverInputSchema>

export const receiverSchema = z.object({
  id: z.string(),
  version: z.int(),
  name: z.string(),
  kind: z.enum(RECEIVER_KINDS),
  /** Where it is; of Slack's only the host. `null`: by e-mail. */
  url: z.string().nullable(),
  to: z.array(z.string()),
  hasSecret: z.boolean(),
  watchdog: z.boolean(),
  matchers: alertMatchersSchema,
  delivery: z.object({
    deliveredAt: timeSchema.nullable(),
    /** Of the last attempt, where it failed. */
    error: z.string().nullable(),
    failedAt: timeSchema.nullable(),
    /** Failures in a row, and when it is tried again. */
    attempts: z.int(),
    nextAttemptAt: timeSchema.nullable(),
    /** Not told yet. */
    waiting: z.int(),
    /** Never told, because too much was waiting or it was a day old. */
    dropped: z.int(),
  }),
  createdBy: z.string(),
  createdAt: timeSchema,
})
export type Receiver = z.infer<typeof receiverSchema>
/** `secret`: only where it was made here. */
export const createdReceiverSchema = receiverSchema.extend({ secret: z.string().nullable() })
export type CreatedReceiver = z.infer<typeof createdReceiverSchema>
export const testedReceiverSchema = z.object({ delivered: z.boolean(), detail: z.string() })
export type TestedReceiver = z.infer<typeof testedReceiverSchema>
