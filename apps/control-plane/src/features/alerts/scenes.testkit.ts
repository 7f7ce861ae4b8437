import { ALERT_BUCKET_SECONDS, alertRulesDocumentSchema } from '@weir/api'
import type { GateBucket } from './history.ts'

export const RULES = alertRulesDocumentSchema.parse({}).rules

/** One bucket of a gate, given per second. `high`: share of what is offered that is of high classes; all of `highRefused` and the rest of the low ones are refused. */
export const gate = ({
  offered = 100,
  goodput = offered,
  refused = Math.max(0, offered - goodput),
  quotaRefused = 0,
  high = 0.2,
  highRefused = 0,
  limit = 20,
  oldestAgeMs = 0,
}: {
  readonly offered?: number
  readonly goodput?: number
  readonly refused?: number
  readonly quotaRefused?: number
  readonly high?: number
  readonly highRefused?: number
  readonly limit?: number
  readonly oldestAgeMs?: number
} = {}): GateBucket => {
  const s = ALERT_BUCKET_SECONDS
  return {
    offered: offered * s,
    refused: refused * s,
    quotaRefused: quotaRefused * s,
    goodput: goodput * s,
    limit,
    oldestAgeMs,
    instances: 2,
    classes:
      refused === 0
        ? {}
        : {
            critical: { offered: offered * high * s, refused: highRefused * s },
            sheddable: { offered: offered * (1 - high) * s, refused: (refused - highRefused) * s },
          },
  }
}

/** Seconds of the same. */
export const lasting = (seconds: number, bucket: GateBucket | null): (GateBucket | null)[] =>
  new Array<GateBucket | null>(seconds / ALERT_BUCKET_SECONDS).fill(bucket)

/** A fleet that does 150/s: calm, a known peak of three times as much, shed under control, and calm again. */
export const KNOWN_PEAK = [
  ...lasting(300, gate({ offered: 100 })),
  ...lasting(300, gate({ offered: 450, goodput: 150, oldestAgeMs: 280 })),
  ...lasting(300, gate({ offered: 100 })),
]

/** The same peak without control: goodput falls to a tenth, everybody is refused, the queue grows. */
export const COLLAPSE = [
  ...lasting(300, gate({ offered: 100 })),
  ...lasting(60, gate({ offered: 150, goodput: 148 })),
  ...lasting(300, gate({ offered: 450, goodput: 15, refused: 200, highRefused: 60, oldestAgeMs: 9_000 })),
  ...lasting(300, gate({ offered: 100 })),
]
