import type { IncomingMessage } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { classifyHttp, type ResponseHead } from '../../outbound/http.ts'
import { type AttemptEnd, classifyError, NEUTRAL, type Verdict } from '../../outbound/verdict.ts'

/** What every HTTP client host takes. */
export interface HttpClientOptions {
  /**
   * The origins of the replicas behind the name, `http://10.0.0.7:8080` for one, read for each request: attempts go to one of them in place of the
   * request's own origin. Default: none, a name or a balancer stands for all.
   */
  readonly endpoints?: (() => readonly string[]) | undefined
  /** Until when a call lasts, holding its slot and its deadline: `head` for answers that stream for long. Default: `body`. */
  readonly until?: 'head' | 'body' | undefined
}

/** The same URL at another origin. @throws {TypeError} where one of them is none. */
export const atOrigin = (url: string, origin: string): string => {
  const { pathname, search, hash } = new URL(url)
  return new URL(`${pathname}${search}${hash}`, origin).href
}

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
  'ERR_INVALID_ARG_TYPE',
  'ERR_INVALID_ARG_VALUE',
  'ERR_INVALID_CHAR',
  'ERR_INVALID_PROTOCOL',
  'ERR_HTTP_INVALID_HEADER_VALUE',
  'ERR_UNESCAPED_CHARACTERS',
  'ERR_BAD_OPTION',
  'ERR_BAD_OPTION_VALUE',
  'ERR_BAD_REQUEST',
  'ERR_CANCELED',
  'ERR_NOT_SUPPORT',
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

/** The head of an answer of `node:http`. */
export const headOfMessage = ({ statusCode, headers }: IncomingMessage): ResponseHead => ({
  status: statusCode ?? 0,
  header: (name) => [headers[name] ?? []].flat()[0],
})

/** When a body is over: one that its reader destroys without an error has ended well. `null`: it was empty, so nobody needs to read it. */
export const streamOver = (body: Readable & { readonly complete?: boolean }): Promise<void> | null => {
  if (body.complete === true && body.readableLength === 0) return null
  return new Promise((resolve, reject) => {
    finished(body, (error) => {
      if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') reject(error)
      else resolve()
    })
  })
}

/** `baggage` with ours at its end. */
export const joinBaggage = (theirs: string | null | undefined, ours: string): string =>
  theirs ? `${theirs},${ours}` : ours
