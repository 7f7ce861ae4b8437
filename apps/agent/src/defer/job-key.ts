import { createHash } from 'node:crypto'
import type { DeferredWork } from '../admission/deferral.ts'

const digest = ({ gate, tenant, id }: DeferredWork): string =>
  createHash('sha256')
    .update(JSON.stringify([gate, tenant, id]))
    .digest('hex')

/**
 * The name of a job in its queue, the same for the same work: no tenant's ids meet another's, so that nobody's work is taken for a repetition of somebody
 * else's. `undefined` where the work has no id.
 */
export const jobKey = (work: DeferredWork): string | undefined => (work.id === null ? undefined : digest(work))

/** The same as a UUID of version 8. */
export const jobUuid = (work: DeferredWork): string | undefined => {
  if (work.id === null) return undefined
  const hex = digest(work)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
