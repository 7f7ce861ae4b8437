import { z } from 'zod'
import { DEFAULT_DEPENDENCY, DEFAULT_OUTLIER } from '../model/defaults.ts'
import { LIMITS } from '../model/limits.ts'
import { BACKOFFS, BREAKER_MODES, JITTERS, MODES } from '../model/vocabulary.ts'
import { ms, share, slots } from './parts.ts'

const d = DEFAULT_DEPENDENCY

const breaker = z
  .strictObject({
    mode: z.enum(BREAKER_MODES).default(d.breaker.mode),
    windowMs: ms(100).default(d.breaker.windowMs),
    minimumVolume: z.int().min(1).max(1_000_000).default(d.breaker.minimumVolume),
    failureShare: z.number().gt(0).max(1).default(d.breaker.failureShare),
    slowCallMs: ms(1).nullable().default(d.breaker.slowCallMs),
    slowShare: z.number().gt(0).max(1).default(d.breaker.slowShare),
    openMs: ms(1).default(d.breaker.openMs),
    probes: z.int().min(1).max(1_000).default(d.breaker.probes),
    probeLeaseMs: ms(1).default(d.breaker.probeLeaseMs),
  })
  .prefault({})

const retry = z
  .strictObject({
    maxAttempts: z.int().min(1).max(LIMITS.attempts).default(d.retry.maxAttempts),
    backoff: z.enum(BACKOFFS).default(d.retry.backoff),
    initialMs: ms(0).default(d.retry.initialMs),
    factor: z.number().min(1).max(100).default(d.retry.factor),
    maxMs: ms(0).default(d.retry.maxMs),
    jitter: z.enum(JITTERS).default(d.retry.jitter),
    maxRetryAfterMs: ms(0).default(d.retry.maxRetryAfterMs),
  })
  .prefault({})
  .superRefine((value, context) => {
    if (value.initialMs > value.maxMs)
      context.addIssue({
        code: 'custom',
        path: ['initialMs'],
        message: `The first backoff (${value.initialMs} ms) must not be longer than the longest (${value.maxMs} ms).`,
      })
  })

const budget = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('token-bucket'),
      maxTokens: z.number().gt(0).max(1_000).default(10),
      ratio: z.number().gt(0).max(1_000).default(0.1),
    }),
    z.strictObject({
      kind: z.literal('ratio'),
      share: share.default(0.2),
      floorPerSecond: z.number().min(0).max(LIMITS.rate).default(10),
      windowMs: ms(1_000).max(60_000).default(10_000),
    }),
  ])
  .default(d.budget)

const o = DEFAULT_OUTLIER
const outlier = z.strictObject({
  windowMs: ms(100).default(o.windowMs),
  minimumVolume: z.int().min(1).max(1_000_000).default(o.minimumVolume),
  failureShare: z.number().gt(0).max(1).default(o.failureShare),
  slowFactor: z.number().gt(1).max(1_000).nullable().default(o.slowFactor),
  ejectMs: ms(1).default(o.ejectMs),
  maxEjectedShare: share.default(o.maxEjectedShare),
})

/** One dependency, as authored; its output has every default filled in. */
export const dependencySchema = z.strictObject({
  mode: z.enum(MODES).default(d.mode),
  ceiling: slots.default(d.ceiling),
  timeoutMs: ms(1).default(d.timeoutMs),
  internal: z.boolean().default(d.internal),
  breaker,
  retry,
  budget,
  throttle: z
    .strictObject({
      k: z.number().gte(1).max(100).default(2),
      minimumVolume: z.int().min(0).max(1_000_000).default(10),
      cap: share.default(0.9),
    })
    .nullable()
    .default(d.throttle),
  outlier: outlier.nullable().default(d.outlier),
  hedge: z
    .strictObject({ afterMs: ms(1) })
    .nullable()
    .default(d.hedge),
})
