import { BAGGAGE_PREFIX, HEADERS, tenantToHeader } from '@weir/wire/model'
import type { WorkContext } from '../core/context.ts'
import type { Parts } from './parts.ts'

/**
 * Headers of one attempt. Class and tenant hold for every hop to come, so they are in W3C baggage too; what is left of the deadline and the
 * attempt are true of this hop only, and baggage is passed on unread. Sent to internal dependencies only, sealed where there is a key.
 * The attempt adds to that of the upper layer, so that the layers below see that somebody above retries already.
 */
export const attemptHeaders = (
  { policy, runtime }: Pick<Parts, 'policy' | 'runtime'>,
  attempt: number,
  remainingMs: number,
  context: WorkContext | undefined,
  idempotencyKey: string | undefined,
): Record<string, string> => {
  const headers: Record<string, string> = {}
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
  if (!policy.internal) return headers
  headers[HEADERS.attempt] = String(attempt + (context?.attempt ?? 1) - 1)
  if (Number.isFinite(remainingMs)) headers[HEADERS.deadline] = String(Math.max(0, Math.floor(remainingMs)))
  const baggage: string[] = []
  if (context?.criticality) {
    headers[HEADERS.criticality] = context.criticality
    baggage.push(`${BAGGAGE_PREFIX}criticality=${context.criticality}`)
  }
  if (context?.tenant) {
    headers[HEADERS.tenant] = tenantToHeader(context.tenant)
    baggage.push(`${BAGGAGE_PREFIX}tenant=${encodeURIComponent(context.tenant.toWellFormed())}`)
  }
  if (baggage.length > 0) headers.baggage = baggage.join(',')
  runtime.seal?.(headers)
  return headers
}
