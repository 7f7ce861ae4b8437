import { type IncomingMessage, type RequestOptions, request as sendPlain } from 'node:http'
import { request as sendSecure } from 'node:https'
import type { Attempt } from '../outbound/parts.ts'
import type { DependencyHost } from './fetch.ts'
import {
  atOrigin,
  classifyExchange,
  type HttpClientOptions,
  headOfMessage,
  isIdempotent,
  joinBaggage,
  streamOver,
} from './outbound/http-client.ts'

export interface HttpRequest extends Omit<RequestOptions, 'headers' | 'signal'> {
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Whole, so that it can be sent twice. */
  readonly body?: string | Uint8Array
  /** Its abort ends the call at once. */
  readonly signal?: AbortSignal
}

/**
 * `node:http` and `node:https` as calls of dependency `name`: resolves with the answer once its head is there, whatever its status; redirects are not
 * followed. Idempotent methods and requests with an `Idempotency-Key` are retried. The call lasts until the body is over, so read it, or destroy it.
 */
export const weirHttpClient = (
  weir: DependencyHost,
  name: string,
  { endpoints, until = 'body' }: HttpClientOptions = {},
): ((url: string | URL, request?: HttpRequest) => Promise<IncomingMessage>) => {
  return async (url, request = {}) => {
    const dependency = weir.dependency(name)
    const { method = 'GET', headers = {}, signal } = request
    const hasKey = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key')
    return dependency.call((attempt) => send(String(url), request, attempt, dependency.internal), {
      idempotent: isIdempotent(method, hasKey),
      signal,
      endpoints: endpoints?.(),
      classify: (end) => classifyExchange(end, headOfMessage, dependency.internal),
      discard: (answer) => void answer.on('error', () => undefined).destroy(),
      tail: (answer) => (until === 'body' ? streamOver(answer) : null),
    })
  }
}

const send = (url: string, request: HttpRequest, attempt: Attempt, internal: boolean): Promise<IncomingMessage> => {
  const { body, headers = {}, signal: _caller, ...options } = request
  const target = new URL(attempt.endpoint === null ? url : atOrigin(url, attempt.endpoint))
  const merged: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) merged[name.toLowerCase()] = value
  if (internal)
    for (const [name, value] of Object.entries(attempt.headers))
      merged[name] = name === 'baggage' ? joinBaggage([merged.baggage ?? []].flat().join(','), value) : value
  const start = target.protocol === 'https:' ? sendSecure : sendPlain
  return new Promise((resolve, reject) => {
    const sent = start(target, { ...options, headers: merged, signal: attempt.signal }, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}
