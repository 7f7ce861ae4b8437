import { classifyHttp, type ResponseHead } from '../outbound/http.ts'
import { type AttemptEnd, classifyError, NEUTRAL, type Verdict } from '../outbound/verdict.ts'

/** Methods that may be sent twice (RFC 9110, section 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])

/** Whether a request may be sent twice: by its method, or because it bears an `Idempotency-Key`. */
export const isIdempotent = (method: string, hasKey: boolean): boolean => hasKey || IDEMPOTENT.has(method.toUpperCase())

/** Whether a body can be sent twice. A stream can be read only once. */
export const isReplayable = (body: unknown): boolean =>
  body === null ||
  body === undefined ||
  typeof body === 'string' ||
  body instanceof ArrayBuffer ||
  ArrayBuffer.isView(body) ||
  body instanceof URLSearchParams ||
  body instanceof Blob ||
  body instanceof FormData

/** Errors that say that the request itself is wrong, or the client was closed: nothing was learnt about the callee. */
const LOCAL_ERRORS = new Set([
  'ERR_INVALID_URL',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
])

const codeOf = (error: unknown): unknown => {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return code ?? (cause as { code?: unknown } | undefined)?.code
}

/** The meaning of an HTTP attempt's end; `internal`: of one of our own services, whose Weir headers are believed. */
export const classifyExchange = <T>(
  end: AttemptEnd<T>,
  headOf: (value: T) => ResponseHead,
  internal: boolean,
): Verdict => {
  if (end.ok) return classifyHttp(headOf(end.value), internal)
  const code = codeOf(end.error)
  return typeof code === 'string' && LOCAL_ERRORS.has(code) ? NEUTRAL : classifyError(end.error)
}

/** `baggage` with ours at its end. */
export const joinBaggage = (theirs: string | null | undefined, ours: string): string =>
  theirs ? `${theirs},${ours}` : ours
