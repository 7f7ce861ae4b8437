import { type Metadata, status } from '@grpc/grpc-js'
import { REFUSAL_SIGNALS } from '@weir/policy/model'
import { HEADERS } from '@weir/wire/model'
import { parseGrpcPushback } from '../../outbound/pushback.ts'
import { FAILURE, FINAL_FAILURE, NEUTRAL, refused, SUCCESS, type Verdict } from '../../outbound/verdict.ts'

/** Codes that tell of the callee's state; the others are the caller's own mistakes, or its leaving. */
const FAILURES: ReadonlySet<status> = new Set([
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.INTERNAL,
  status.UNAVAILABLE,
  status.DATA_LOSS,
])

const textOf = (metadata: Metadata, name: string): string | null => metadata.get(name)[0]?.toString() ?? null

const baseOf = (code: status, metadata: Metadata, internal: boolean): Verdict => {
  if (code === status.OK) return SUCCESS
  const said = internal ? textOf(metadata, HEADERS.signal) : null
  const signal = REFUSAL_SIGNALS.find((known) => known === said)
  if (signal !== undefined) return refused(signal)
  if (code === status.RESOURCE_EXHAUSTED) return refused('later')
  if (!FAILURES.has(code)) return NEUTRAL
  return code === status.DATA_LOSS ? FINAL_FAILURE : FAILURE
}

/**
 * The meaning of a gRPC status. `RESOURCE_EXHAUSTED`, and whatever an `internal` callee signed as a refusal, is refused; `UNAVAILABLE`, `UNKNOWN`,
 * `INTERNAL`, `DEADLINE_EXCEEDED` and `DATA_LOSS` are failures, the rest is neutral. `grpc-retry-pushback-ms` is kept to the millisecond (gRFC A6).
 */
export const classifyStatus = (code: status, metadata: Metadata, internal: boolean): Verdict => {
  const base = baseOf(code, metadata, internal)
  if (base.kind === 'success' || base.kind === 'neutral') return base
  const pushback = parseGrpcPushback(textOf(metadata, 'grpc-retry-pushback-ms'))
  const times = internal ? (textOf(metadata, HEADERS.retried) ?? '') : ''
  const retried = /^\d{1,6}$/.test(times) ? Number(times) : 0
  if (pushback.kind === 'stop') return { ...base, retried, signal: 'stop', retryable: false }
  if (pushback.kind === 'wait') return { ...base, retried, waitMs: pushback.ms, exact: true }
  return { ...base, retried }
}
