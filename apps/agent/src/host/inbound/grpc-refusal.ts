import { GATE_REASONS, HEADERS } from '@weir/wire/model'
import type { Refusal } from '../../admission/work.ts'

export interface GrpcRefusal {
  /** RESOURCE_EXHAUSTED or UNAVAILABLE. */
  readonly code: 8 | 14
  readonly details: string
  readonly metadata: Readonly<Record<string, string>>
}

/** The largest pushback: a signed 32-bit number. */
const MAX_PUSHBACK_MS = 2 ** 31 - 1

/**
 * A refusal as gRPC: RESOURCE_EXHAUSTED where the caller used up its own share, UNAVAILABLE where the service is short, with `grpc-retry-pushback-ms`
 * (gRFC A6): whole milliseconds, rounded up; -1 with `stop`. The revision goes to trusted peers only.
 */
export const grpcRefusal = ({ reason, signal, retryAfterMs, revision }: Refusal, trusted: boolean): GrpcRefusal => {
  const { status, title } =
    reason === 'cancelled' ? { status: 503, title: 'The caller had left' } : GATE_REASONS[reason]
  const pushbackMs = signal === 'stop' ? -1 : Math.min(MAX_PUSHBACK_MS, Math.max(0, Math.ceil(retryAfterMs)))
  return {
    code: status === 429 ? 8 : 14,
    details: title,
    metadata: {
      'grpc-retry-pushback-ms': String(pushbackMs),
      [HEADERS.signal]: signal,
      [HEADERS.reason]: reason,
      ...(trusted ? { [HEADERS.revision]: String(revision) } : {}),
    },
  }
}
