import { GATE_REASONS, type GateReport, HEADERS } from '@weir/wire/model'
import type { Refusal } from '../../admission/work.ts'

/** What the host answers in place of the handler. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const rowOf = (refusal: Refusal) =>
  refusal.reason === 'cancelled' ? { status: 503, title: 'The caller had left' } : GATE_REASONS[refusal.reason]

/**
 * A refusal as HTTP: 429 where the caller used up its own share, 503 where the service is short; `Retry-After` in whole seconds, rounded up, none with
 * `stop`; `application/problem+json`. What others may not know, the revision and the figures, goes to trusted peers only.
 */
export const httpRefusal = (refusal: Refusal, figures: GateReport | null): HttpAnswer => {
  const { status, title } = rowOf(refusal)
  const { reason, signal, retryAfterMs, revision, gate } = refusal
  const trusted =
    figures === null
      ? {}
      : {
          gate,
          revision,
          retryAfterMs,
          limit: figures.limit,
          active: figures.active,
          waiting: figures.waiting,
          level: figures.level,
        }
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      [HEADERS.signal]: signal,
      [HEADERS.reason]: reason,
      ...(signal === 'stop' ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) }),
      ...(figures === null ? {} : { [HEADERS.revision]: String(revision) }),
    },
    body: JSON.stringify({ type: 'about:blank', title, status, reason, signal, ...trusted }),
  }
}
