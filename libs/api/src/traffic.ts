import { CRITICALITIES, LIMITS } from '@weir/policy/model'
import { nameSchema } from '@weir/policy/schema'
import { z } from 'zod'
import { timeSchema } from './common.ts'

/** Bounds of one traffic document: what a simulation may be asked to hold. */
export const TRAFFIC = { bins: 4_000, tenants: 1_000, gates: 50, cells: 60, stretches: 1_000 } as const

const ms = z.number().min(0).max(LIMITS.maxMs)
const weight = z.number().min(0).max(1e12)
const criticality = z.enum(CRITICALITIES)
const tenant = z.string().min(1).max(LIMITS.tenantBytes)

/** How long one piece of work takes while nothing stands in its way, waiting at the gate not counted. */
const serviceTimeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('constant'), ms }),
  z.strictObject({ kind: z.literal('exponential'), meanMs: ms }),
  /** Long-tailed: half is done within `medianMs`, 99 of 100 within `p99Ms`. */
  z.strictObject({ kind: z.literal('lognormal'), medianMs: ms.gt(0), p99Ms: ms.gt(0) }),
  /** As measured: `counts[i]` took up to `upToMs[i]`; one more count for what took longer. Spread evenly inside a cell; `meanMs` scales the whole to a mean. */
  z
    .strictObject({
      kind: z.literal('histogram'),
      upToMs: z.array(ms.gt(0)).min(1).max(TRAFFIC.cells),
      counts: z.array(weight).max(TRAFFIC.cells + 1),
      meanMs: ms.gt(0).optional(),
    })
    .refine(({ upToMs, counts }) => counts.length === upToMs.length + 1, {
      path: ['counts'],
      message: 'There must be one count more than "upToMs" has bounds: the last is of what took longer.',
    })
    .refine(({ upToMs }) => upToMs.every((bound, i) => i === 0 || bound > (upToMs[i - 1] ?? 0)), {
      path: ['upToMs'],
      message: 'The bounds must ascend.',
    })
    .refine(({ counts }) => counts.some((n) => n > 0), { path: ['counts'], message: 'At least one count is above 0.' }),
])
export type ServiceTime = z.infer<typeof serviceTimeSchema>

/** What stands behind a gate, per process. */
export const serviceModelSchema = z.strictObject({
  time: serviceTimeSchema,
  /** Pieces of work that run side by side at full speed; more share that speed, so all slow down alike. `null`: never the bottleneck. */
  concurrency: z.number().gt(0).max(LIMITS.slots).nullable().default(null),
  /** Share of the work that ends badly. */
  failed: z.number().min(0).max(1).default(0),
})
export type ServiceModel = z.infer<typeof serviceModelSchema>

const mixes = {
  /** Weights. Left out: the policy's default class. */
  classes: z.partialRecord(criticality, weight).optional(),
  /** Weights. Left out: work that names no tenant. */
  tenants: z.record(tenant, weight).optional(),
}

const countsOf = z.array(weight).max(TRAFFIC.bins)

/** Counts per stretch of `stepMs`. What tells the classes apart and what tells the tenants apart are independent of each other. */
const binsSchema = z.strictObject({
  stepMs: ms.gt(0),
  offered: countsOf.min(1),
  classes: z.partialRecord(criticality, countsOf).optional(),
  tenants: z.record(tenant, countsOf).optional(),
  /** How many tenants the counts of `other` stand for. */
  others: z.int().min(1).max(10_000).default(1),
})

/** A synthetic load: stretches of time in which the rate, per second, goes in a straight line. */
const loadSchema = z.strictObject({
  stretches: z
    .array(
      z.strictObject({
        ms: ms.gt(0),
        perSecond: z.number().min(0).max(1e6),
        /** Where it ends; left out: it holds. */
        to: z.number().min(0).max(1e6).optional(),
      }),
    )
    .min(1)
    .max(TRAFFIC.stretches),
  /** `poisson`: as independent callers arrive. */
  spread: z.enum(['poisson', 'even']).default('poisson'),
  ...mixes,
})

export const arrivalSchema = z.strictObject({
  /** From the start of the recording; at most a week. */
  atMs: z.number().min(0).max(604_800_000),
  class: criticality.optional(),
  tenant: tenant.optional(),
  deadlineMs: z.number().max(LIMITS.maxMs).optional(),
})
export type RecordedArrival = z.infer<typeof arrivalSchema>

/** What the outcome store counted in the same stretch of time, to hold a prediction against. */
const measuredSchema = z.strictObject({
  offered: weight,
  shed: weight,
  expired: weight,
  completed: weight,
  p99Ms: ms.nullable().default(null),
  /** Most work in progress at a time, in any process, as far as was measured. */
  mostActive: weight.nullable().default(null),
})

const gateTrafficSchema = z
  .strictObject({
    service: serviceModelSchema,
    /** Time that callers give; left out: the policy's default. */
    deadlineMs: z.number().max(LIMITS.maxMs).optional(),
    /** Whether the classes are taken at their word, as those of callers that the host knows; else the policy's `highest` caps them. */
    trusted: z.boolean().default(false),
    bins: binsSchema.optional(),
    load: loadSchema.optional(),
    arrivals: z.array(arrivalSchema).max(5_000_000).optional(),
    measured: measuredSchema.optional(),
  })
  .refine(({ bins, load, arrivals }) => [bins, load, arrivals].filter((form) => form !== undefined).length === 1, {
    message: 'Exactly one of "bins", "load" and "arrivals" says when work arrives.',
  })
export type GateTraffic = z.infer<typeof gateTrafficSchema>

/**
 * Recorded or made-up traffic of one service: what `npm run simulate` plays against a policy, and what GET …/services/:service/traffic answers.
 * Times in milliseconds.
 */
export const trafficSchema = z.strictObject({
  version: z.literal(1),
  service: nameSchema.optional(),
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  /** Processes that share the traffic. */
  instances: z.int().min(1).max(10_000).default(1),
  gates: z
    .record(nameSchema, gateTrafficSchema)
    .refine((gates) => Object.keys(gates).length <= TRAFFIC.gates, `At most ${TRAFFIC.gates} gates.`),
})
export type Traffic = z.infer<typeof trafficSchema>
export type TrafficInput = z.input<typeof trafficSchema>

/** GET …/services/:service/traffic?seconds= */
export const trafficQuerySchema = z.strictObject({
  seconds: z.coerce.number().int().min(60).max(86_400).default(3_600),
})
