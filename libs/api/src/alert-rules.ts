import { z } from 'zod'
import { nameSchema, reasonSchema, timeSchema } from './common.ts'

/** `page` wakes somebody, `ticket` is for working hours, `info` is only shown. */
export const SEVERITIES = ['page', 'ticket', 'info'] as const
export const severitySchema = z.enum(SEVERITIES)
export type Severity = z.infer<typeof severitySchema>

/** Buckets that rules are judged in: every time of a rule is a multiple of it, rounded up. Seconds. */
export const ALERT_BUCKET_SECONDS = 5

/** Longest window of a rule. Seconds. */
export const MOST_WINDOW_SECONDS = 300

const seconds = (most: number) => z.int().min(ALERT_BUCKET_SECONDS).max(most)
const share = z.number().gt(0).max(1)
/** How long it must hold without a break: at most half an hour, since finest figures are kept for an hour. */
const forSeconds = seconds(1_800)
/** The long window; the short one, which must agree, is a third of it. */
const windowSeconds = seconds(MOST_WINDOW_SECONDS)

/** Settings of every rule: type and default. `enabled`, `severity`, `forSeconds` and `runbook` are in each. */
const SETTINGS = {
  collapse: { severity: 'page', forSeconds: 15, settings: { fall: [share, 0.5], windowSeconds: [windowSeconds, 15] } },
  'completion-falling': {
    severity: 'ticket',
    forSeconds: 60,
    settings: { fall: [share, 0.2], windowSeconds: [windowSeconds, 60] },
  },
  'high-class-shedding': {
    severity: 'page',
    forSeconds: 30,
    settings: { share: [share, 0.05], windowSeconds: [windowSeconds, 30] },
  },
  'queue-age': { severity: 'page', forSeconds: 30, settings: { ageMs: [z.number().gt(0).max(3_600_000), 1_000] } },
  'sustained-shedding': {
    severity: 'ticket',
    forSeconds: 60,
    settings: { share: [share, 0.1], windowSeconds: [windowSeconds, 30] },
  },
  'reserve-exhausted': {
    severity: 'ticket',
    forSeconds: 30,
    settings: { share: [share, 0.01], windowSeconds: [windowSeconds, 30] },
  },
  'retry-budget-exhausted': {
    severity: 'ticket',
    forSeconds: 60,
    settings: { share: [share, 0.5], windowSeconds: [windowSeconds, 60] },
  },
  'quota-unused': {
    severity: 'ticket',
    forSeconds: 120,
    settings: { share: [share, 0.05], used: [share, 0.8], windowSeconds: [windowSeconds, 60] },
  },
  'agents-stale': { severity: 'ticket', forSeconds: 60, settings: { share: [z.number().min(0).lt(1), 0] } },
  'revision-refused': { severity: 'ticket', forSeconds: 15, settings: { share: [z.number().min(0).lt(1), 0] } },
  'books-off': { severity: 'ticket', forSeconds: 60, settings: { share: [z.number().min(0).lt(1), 0] } },
} as const satisfies Record<
  string,
  {
    readonly severity: Severity
    readonly forSeconds: number
    readonly settings: Readonly<Record<string, readonly [z.ZodType<number>, number]>>
  }
>

export type AlertRuleName = keyof typeof SETTINGS
export const ALERT_RULE_NAMES = Object.keys(SETTINGS) as readonly AlertRuleName[]
export const alertRuleNameSchema = z.enum(ALERT_RULE_NAMES as [AlertRuleName, ...AlertRuleName[]])

/** What every rule has. */
export interface AlertRuleBase {
  readonly enabled: boolean
  readonly severity: Severity
  /** How long it must hold without a break before it is an alert. */
  readonly forSeconds: number
  /** Where people find what to do; without one it is the built-in page. */
  readonly runbook?: string | undefined
}
export type AlertRule<N extends AlertRuleName = AlertRuleName> = N extends AlertRuleName
  ? AlertRuleBase & { readonly [K in keyof (typeof SETTINGS)[N]['settings']]: number }
  : never
/** Every rule, complete. */
export type AlertRules = { readonly [N in AlertRuleName]: AlertRule<N> }
export type AlertRuleOverrides = { readonly [N in AlertRuleName]?: Partial<AlertRule<N>> | undefined }

const runbook = z
  .url({ protocol: /^https?$/, error: 'A runbook is an http or https address.' })
  .max(500)
  .optional()

const wholeRule = (name: AlertRuleName) => {
  const { severity, forSeconds: held, settings } = SETTINGS[name]
  const own = Object.entries(settings).map(([key, [type, value]]) => [key, type.default(value)])
  return z
    .strictObject({
      enabled: z.boolean().default(true),
      severity: severitySchema.default(severity),
      forSeconds: forSeconds.default(held),
      runbook,
      ...Object.fromEntries(own),
    })
    .prefault({})
}
const partOfRule = (name: AlertRuleName) => {
  const own = Object.entries(SETTINGS[name].settings).map(([key, [type]]) => [key, type.optional()])
  return z
    .strictObject({
      enabled: z.boolean().optional(),
      severity: severitySchema.optional(),
      forSeconds: forSeconds.optional(),
      runbook,
      ...Object.fromEntries(own),
    })
    .optional()
}
const everyRule = (of: (name: AlertRuleName) => z.ZodType) =>
  z.strictObject(Object.fromEntries(ALERT_RULE_NAMES.map((name) => [name, of(name)])))

/** Services with settings of their own. */
const MOST_OVERRIDES = 1_000

/** The rules of an environment: `rules` hold for every service, `services` says what is different for some. What is left out is the built-in. */
export const alertRulesDocumentSchema = z.strictObject({
  rules: everyRule(wholeRule).prefault({}) as unknown as z.ZodType<AlertRules, AlertRuleOverrides | undefined>,
  services: (z.record(nameSchema, everyRule(partOfRule)) as unknown as z.ZodType<Record<string, AlertRuleOverrides>>)
    .refine((services) => Object.keys(services).length <= MOST_OVERRIDES, `At most ${MOST_OVERRIDES} services.`)
    .default({}),
})
export type AlertRulesDocument = z.output<typeof alertRulesDocumentSchema>

/** The rules as they hold for one service. */
export const rulesOf = ({ rules, services }: AlertRulesDocument, service: string): AlertRules => {
  const own = services[service]
  if (own === undefined) return rules
  const merged = ALERT_RULE_NAMES.map((name) => [name, { ...rules[name], ...own[name] }])
  return Object.fromEntries(merged) as AlertRules
}

/** GET /environments/:environment/alert-rules (ETag); PUT (If-Match). Version 0: the built-in rules, nobody has written any. */
export const alertRulesSchema = z.object({
  version: z.int(),
  document: alertRulesDocumentSchema,
  author: z.string().nullable(),
  reason: z.string().nullable(),
  updatedAt: timeSchema.nullable(),
})
export type AlertRulesState = z.output<typeof alertRulesSchema>
export const putAlertRulesSchema = z.strictObject({ document: alertRulesDocumentSchema, reason: reasonSchema })
