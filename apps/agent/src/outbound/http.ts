import { REFUSAL_SIGNALS, type RefusalSignal } from '@weir/policy/model'
import { HEADERS } from '@weir/wire/model'
import { parseRetryAfter } from './pushback.ts'
import { FAILURE, FINAL_FAILURE, NEUTRAL, SUCCESS, type Verdict } from './verdict.ts'

/** A response head, whatever library made it. `header` takes lower-case names. */
export interface ResponseHead {
  readonly status: number
  header(name: string): string | null | undefined
}

/** 501 and 505 say what the server is unable to do; it will not learn that between two attempts. */
const HOPELESS = new Set([501, 505])

const signalOf = (text: string | null | undefined): RefusalSignal | null =>
  REFUSAL_SIGNALS.find((signal) => signal === text) ?? null

/** Counts are for comparing with 0 and for adding up: past this they are all the same. */
const MAX_COUNT = 1_000_000

const countOf = (text: string | null | undefined): number =>
  text && /^\d+$/.test(text) ? Math.min(Number(text), MAX_COUNT) : 0

/**
 * 2xx and 3xx success; 4xx neutral; 429, and any 4xx or 5xx that bears a Weir signal, refused; other 5xx a failure.
 * `Retry-After` is read on refusals and on 5xx. `elsewhere` means another replica now, so there our own backoff decides.
 * Weir's own headers are believed of `internal` callees only: a stranger could keep us from retrying, and our callers with us.
 */
export const classifyHttp = (head: ResponseHead, internal: boolean, wallNow: () => number = Date.now): Verdict => {
  const { status } = head
  if (status < 400) return SUCCESS
  const signal = (internal ? signalOf(head.header(HEADERS.signal)) : null) ?? (status === 429 ? 'later' : null)
  if (signal === null && status < 500) return NEUTRAL
  const pushback = parseRetryAfter(head.header('retry-after'), head.header('date'), wallNow)
  const base = signal === null ? (HOPELESS.has(status) ? FINAL_FAILURE : FAILURE) : null
  return {
    kind: base ? 'failure' : 'refused',
    retryable: base ? base.retryable : signal !== 'stop',
    signal,
    waitMs: pushback.kind === 'wait' && signal !== 'elsewhere' ? pushback.ms : null,
    exact: false,
    retried: internal ? countOf(head.header(HEADERS.retried)) : 0,
  }
}

/** A `Response` of fetch, of this or another realm; `null` = something else. */
export const headOf = (value: unknown): ResponseHead | null => {
  if (typeof value !== 'object' || value === null) return null
  const { status, headers } = value as { status?: unknown; headers?: { get?: unknown } }
  if (typeof status !== 'number' || typeof headers?.get !== 'function') return null
  return { status, header: (name) => (headers as Headers).get(name) }
}

/** Lets go of a response that nobody will read: an unread body keeps its socket. */
export const discardResponse = (value: unknown): void => {
  if (headOf(value) === null) return
  const { body } = value as { body?: { cancel?: () => Promise<void> } | null }
  body?.cancel?.().catch(() => {})
}
