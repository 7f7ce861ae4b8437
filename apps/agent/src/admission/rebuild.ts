import { passes } from './bucket.ts'
import { isShed } from './class-slots.ts'
import type { Inputs } from './inputs.ts'
import { predictedMs } from './prediction.ts'
import {
  ACCEPT,
  CLASS_SHED,
  DRAINING,
  EXPIRED_ON_ARRIVAL,
  LIMIT_REACHED,
  QUEUE_FULL,
  TENANT_CONCURRENCY,
  TENANT_RATE,
  UNKNOWN_TENANT,
  WAIT,
  WOULD_BE_LATE,
} from './reasons.ts'

/** The decision that follows from its inputs: `ACCEPT`, `WAIT` or the number of a reason. A test proves it equal to what the gate decided. */
export const rebuild = (inputs: Inputs): number => {
  const { klass, level, limit, inUse } = inputs
  if (inputs.draining) return DRAINING
  if (inputs.remainingMs <= 0) return EXPIRED_ON_ARRIVAL
  if (!inputs.tenantKnown) return UNKNOWN_TENANT
  if (inputs.held >= inputs.concurrency) return TENANT_CONCURRENCY
  if (!Number.isNaN(inputs.tokens) && !passes(inputs.tokens, inputs.capacity, inputs.cost)) return TENANT_RATE
  const shed = isShed(klass, level)
  const reserved = inputs.used < inputs.reserve
  if (!shed && inUse + inputs.keptIdle < limit) return ACCEPT
  if (reserved && inUse < limit) return ACCEPT
  if (!inputs.mayWait) return shed && !reserved ? CLASS_SHED : LIMIT_REACHED
  if (shed && inputs.waiting >= inputs.reserve) return CLASS_SHED
  return waits(inputs)
}

const waits = (inputs: Inputs): number => {
  const { maxWaitMs, maxItems, typicalMs } = inputs
  if (maxWaitMs <= 0 || maxItems <= 0) return LIMIT_REACHED
  if (inputs.queued >= maxItems && !inputs.room) return QUEUE_FULL
  const budgetMs = Math.min(maxWaitMs, inputs.remainingMs - (typicalMs || 0))
  if (budgetMs <= 0) return WOULD_BE_LATE
  if (inputs.newestFirst) return WAIT
  const { ahead, above, drainPerMs, initialPerMs, completions, limit } = inputs
  const waitMs = predictedMs(ahead, above, drainPerMs, initialPerMs, completions, typicalMs, limit)
  return waitMs + inputs.delayMs > budgetMs ? WOULD_BE_LATE : WAIT
}
