import type { Dependency } from '../outbound/dependency.ts'
import { discardResponse } from '../outbound/http.ts'
import type { Attempt } from '../outbound/parts.ts'
import { type Watched, watchBody } from './outbound/body.ts'
import {
  atOrigin,
  classifyExchange,
  type HttpClientOptions,
  isIdempotent,
  isReplayable,
  joinBaggage,
} from './outbound/http-client.ts'

/** Where dependencies come from: the started agent. */
export interface DependencyHost {
  dependency(name: string): Dependency
}

type Fetch = typeof globalThis.fetch
type Input = Parameters<Fetch>[0]
type Init = NonNullable<Parameters<Fetch>[1]>

export interface FetchOptions extends HttpClientOptions {
  /** What sends. Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Not for another origin (Fetch standard, HTTP-redirect fetch). */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie', 'host']
/** Of a body that is not sent on. */
const BODY_HEADERS = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length']

/**
 * A `fetch` that calls dependency `name`. Idempotent methods and requests with an `Idempotency-Key` are retried, unless their body is a stream.
 * Towards an internal dependency the context's headers are added on the first hop only: redirects are followed without them.
 * The call lasts until the body is over: it holds its slot and its deadline until then, so a body that nobody reads or cancels is cut off.
 */
export const weirFetch = (
  weir: DependencyHost,
  name: string,
  { fetch = globalThis.fetch, endpoints, until = 'body' }: FetchOptions = {},
): Fetch => {
  return async (input, init = {}) => {
    const dependency = weir.dependency(name)
    const request = input instanceof Request ? input : null
    const headers = new Headers(init.headers ?? request?.headers)
    const method = init.method ?? request?.method ?? 'GET'
    const callerSignal = init.signal === undefined ? request?.signal : init.signal
    const body = init.body ?? request?.body
    const exchange = { fetch, input, init, headers, method, callerSignal: callerSignal ?? null }
    const { response } = await dependency.call((attempt) => watched(exchange, dependency.internal, attempt, until), {
      idempotent: isReplayable(body) && isIdempotent(method, headers.has('idempotency-key')),
      signal: callerSignal ?? undefined,
      endpoints: endpoints?.(),
      classify: (end) => classifyExchange(end, ({ response }) => headOfResponse(response), dependency.internal),
      discard: ({ response }) => discardResponse(response),
      tail: ({ over }) => over,
    })
    return response
  }
}

interface Exchange {
  readonly fetch: Fetch
  readonly input: Input
  readonly init: Init
  readonly headers: Headers
  readonly method: string
  readonly callerSignal: AbortSignal | null
}

const headOfResponse = (response: Response) => ({
  status: response.status,
  header: (name: string) => response.headers.get(name),
})

const watched = async (
  exchange: Exchange,
  internal: boolean,
  attempt: Attempt,
  until: HttpClientOptions['until'],
): Promise<Watched> => {
  const { input } = exchange
  const at = attempt.endpoint
  const response = await send(at === null ? exchange : { ...exchange, input: moved(input, at) }, internal, attempt)
  return until === 'body' ? watchBody(response) : { response, over: null }
}

/** The same request to another origin. */
const moved = (input: Input, origin: string): Input => {
  if (!(input instanceof Request)) return atOrigin(String(input), origin)
  return new Request(atOrigin(input.url, origin), input)
}

const send = async (exchange: Exchange, internal: boolean, attempt: Attempt): Promise<Response> => {
  const { fetch, input, init, callerSignal } = exchange
  const signal = callerSignal === null ? attempt.signal : AbortSignal.any([attempt.signal, callerSignal])
  if (!internal) return fetch(input, { ...init, signal })
  const headers = new Headers(exchange.headers)
  for (const [name, value] of Object.entries(attempt.headers))
    headers.set(name, name === 'baggage' ? joinBaggage(headers.get(name), value) : value)
  const redirect = init.redirect ?? (input instanceof Request ? input.redirect : 'follow')
  if (redirect !== 'follow') return fetch(input, { ...init, headers, signal })
  const response = await fetch(input, { ...init, headers, signal, redirect: 'manual' })
  const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null
  return location === null ? response : follow(exchange, response, location, signal)
}

/** The rest of the way, by the rules of the Fetch standard, without the context. */
const follow = (exchange: Exchange, response: Response, location: string, signal: AbortSignal): Promise<Response> => {
  const { fetch, input, init, method } = exchange
  const from = response.url || String(input instanceof Request ? input.url : input)
  discardResponse(response)
  const target = new URL(location, from)
  if (!/^https?:$/.test(target.protocol))
    throw new TypeError(`The answer redirects to ${target.protocol}, not to HTTP.`)
  const headers = new Headers(exchange.headers)
  if (target.origin !== new URL(from).origin) for (const name of CREDENTIALS) headers.delete(name)
  const asGet =
    (response.status === 303 && method !== 'GET' && method !== 'HEAD') ||
    ((response.status === 301 || response.status === 302) && method === 'POST')
  if (asGet) {
    for (const name of BODY_HEADERS) headers.delete(name)
    return fetch(target, { ...init, method: 'GET', body: null, headers, signal })
  }
  const body = init.body ?? (input instanceof Request ? input.body : null)
  if (!isReplayable(body)) throw new TypeError('A streamed body cannot be sent again to where the answer redirects.')
  return fetch(target, { ...init, method, headers, signal })
}
