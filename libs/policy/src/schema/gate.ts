import { z } from 'zod'
import { DEFAULT_GATE } from '../model/defaults.ts'
import { LIMITS } from '../model/limits.ts'
import { ALGORITHMS, CRITICALITIES, MODES, QUEUE_ORDERS, SIGNAL_KINDS } from '../model/vocabulary.ts'
import { ms, share, slots, threshold } from './parts.ts'

const d = DEFAULT_GATE

/** `concurrency: 20` is short for a fixed limit of 20. */
const concurrency = z
  .union([
    slots.transform((initial) => ({ initial })),
    z.strictObject({
      algorithm: z.enum(ALGORITHMS).optional(),
      floor: slots.optional(),
      initial: slots.optional(),
      ceiling: slots.optional(),
    }),
  ])
  .prefault({})
  .transform((given, context) => {
    const { algorithm = d.concurrency.algorithm } = given as { algorithm?: (typeof ALGORITHMS)[number] }
    const bounds = given as { floor?: number; initial?: number; ceiling?: number }
    const floor = bounds.floor ?? 1
    const initial = bounds.initial ?? Math.max(floor, Math.min(d.concurrency.initial, bounds.ceiling ?? Infinity))
    const ceiling = bounds.ceiling ?? (algorithm === 'fixed' ? initial : Math.max(initial, 10 * d.concurrency.initial))
    if (floor > initial)
      context.addIssue({
        code: 'custom',
        path: ['floor'],
        message: `The floor (${floor}) must not be above the initial limit (${initial}).`,
      })
    if (initial > ceiling)
      context.addIssue({
        code: 'custom',
        path: ['ceiling'],
        message: `The ceiling (${ceiling}) must not be below the initial limit (${initial}).`,
      })
    return { algorithm, floor, initial, ceiling }
  })

const queue = z
  .strictObject({
    maxWaitMs: ms(0).default(d.queue.maxWaitMs),
    maxItems: z.int().min(0).max(LIMITS.queueItems).default(d.queue.maxItems),
    initialRatePerSecond: z.number().positive().max(LIMITS.rate).nullable().default(d.queue.initialRatePerSecond),
    order: z.enum(QUEUE_ORDERS).default(d.queue.order),
  })
  .prefault({})

const deadline = z
  .strictObject({
    defaultMs: ms(1).default(d.deadline.defaultMs),
    minMs: ms(0).default(d.deadline.minMs),
    maxMs: ms(1).default(d.deadline.maxMs),
  })
  .prefault({})
  .superRefine((value, context) => {
    if (value.minMs > value.defaultMs)
      context.addIssue({
        code: 'custom',
        path: ['minMs'],
        message: `The shortest deadline (${value.minMs} ms) must not be longer than the default (${value.defaultMs} ms).`,
      })
    if (value.defaultMs > value.maxMs)
      context.addIssue({
        code: 'custom',
        path: ['maxMs'],
        message: `The longest deadline (${value.maxMs} ms) must not be shorter than the default (${value.defaultMs} ms).`,
      })
  })

const classes = z
  .strictObject({
    default: z.enum(CRITICALITIES).default(d.classes.default),
    highest: z.enum(CRITICALITIES).default(d.classes.highest),
    reserves: z
      .strictObject({
        'critical-plus': share.default(0),
        critical: share.default(0),
        'sheddable-plus': share.default(0),
        sheddable: share.default(0),
      })
      .prefault({}),
    strict: z.boolean().default(d.classes.strict),
    topShareCap: share.nullable().default(d.classes.topShareCap),
  })
  .prefault({})
  .superRefine((value, context) => {
    const sum = CRITICALITIES.reduce((total, name) => total + value.reserves[name], 0)
    if (sum > 1 + 1e-9)
      context.addIssue({
        code: 'custom',
        path: ['reserves'],
        message: `The reserves add up to ${Number((sum * 100).toFixed(2))} % of the limit; they may add up to at most 100 %.`,
      })
  })

const degrade = z
  .strictObject({
    level: z.int().min(1).max(CRITICALITIES.length).nullable().default(d.degrade.level),
    usage: share.nullable().default(d.degrade.usage),
  })
  .prefault({})

const consumer = z
  .strictObject({ maxAgeMs: z.number().min(1).max(LIMITS.maxAgeMs).nullable().default(d.consumer.maxAgeMs) })
  .prefault({})

/** One gate, as authored; its output has every default filled in but the resource, which is the gate's name. */
export const gateSchema = z.strictObject({
  mode: z.enum(MODES).default(d.mode),
  resource: z.string().min(1).max(LIMITS.nameBytes).optional(),
  edge: z.boolean().default(d.edge),
  concurrency,
  queue,
  deadline,
  classes,
  signals: z.partialRecord(z.enum(SIGNAL_KINDS), threshold).default({}),
  degrade,
  consumer,
  maxHoldMs: ms(1).default(d.maxHoldMs),
  zombieMaxMs: ms(1).default(d.zombieMaxMs),
  retryAfter: z
    .strictObject({ minMs: ms(0).default(d.retryAfter.minMs), maxMs: ms(1).default(d.retryAfter.maxMs) })
    .prefault({})
    .superRefine((value, context) => {
      if (value.minMs > value.maxMs)
        context.addIssue({
          code: 'custom',
          path: ['minMs'],
          message: `The shortest Retry-After (${value.minMs} ms) must not be longer than the longest (${value.maxMs} ms).`,
        })
    }),
})
