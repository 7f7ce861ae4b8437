import { createHash } from 'node:crypto'
import type { DeferredWork } from '../admission/deferral.ts'
import type { DeferredCall } from '../outbound/fallbacks.ts'

/** What a queue may keep: work that a gate had no room for, or a write that its dependency could not do. */
export type Keepable = DeferredWork | DeferredCall

/** `null`: it has no id. */
const digest = (work: Keepable): string | null => {
  const isCall = 'idempotencyKey' in work
  if (!isCall && work.id === null) return null
  const id = isCall ? ['call', work.dependency, work.tenant, work.idempotencyKey] : [work.gate, work.tenant, work.id]
  return createHash('sha256').update(JSON.stringify(id)).digest('hex')
}

/**
 * The name of a job in its queue, the same for the same work: no tenant's ids meet another's, so that nobody's work is taken for a repetition of somebody
 * else's. `undefined` where the work has no id.
 */
export const jobKey = (work: Keepable): string | undefined => digest(work) ?? undefined

/** The same as a UUID of version 8. */
export const jobUuid = (work: Keepable): string | undefined => {
  const hex = digest(work)
  if (hex === null) return undefined
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
