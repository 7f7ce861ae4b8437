import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { HttpInbound } from './inbound/http.ts'
import type { GateHost, InboundOptions, RequestWeir } from './inbound/options.ts'
import { answerRaw } from './inbound/raw.ts'
import { watch } from './inbound/watch.ts'

export type { GateHost, RequestWeir } from './inbound/options.ts'

export interface WeirHttpOptions extends InboundOptions<IncomingMessage> {
  /** The route as the host declared it, by which probes are exempt. Default: the path, without the query, of a GET or a HEAD. */
  readonly route?: (request: IncomingMessage) => string | undefined
}

/** As a listener of `request`, with the permit beside; `null` on exempt routes. A promise that it returns is its own end. */
export type WeirHttpHandler = (request: IncomingMessage, response: ServerResponse, weir: RequestWeir | null) => unknown

const pathOf = ({ method, url = '' }: IncomingMessage): string | undefined => {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/**
 * Admission for `node:http` and what is built on it: `createServer(weirHttp(weir, {}, handler))`. Decided when the head is parsed, before the body is read,
 * and waited for in the gate's queue. The permit ends with the response *and* the promise that the handler returned; of a handler that returns nothing the
 * answer is taken for the end. What a handler throws is passed on, as without Weir.
 */
export const weirHttp = (weir: GateHost, options: WeirHttpOptions, handler: WeirHttpHandler): RequestListener => {
  const inbound = new HttpInbound<IncomingMessage>(weir, options)
  const exempt = new Set(options.exempt)
  const routeOf = (request: IncomingMessage): string | undefined => {
    try {
      return (options.route ?? pathOf)(request)
    } catch {
      return undefined
    }
  }
  return (request, response) => {
    const route = routeOf(request)
    const exchange = {
      request,
      raw: request,
      response,
      route,
      says: { exempt: route !== undefined && exempt.has(route) },
    }
    let result: unknown
    inbound.enter(exchange, {
      pass: (admitted) => {
        const call = () => handler(request, response, admitted)
        result = admitted ? watch(admitted.handling, () => false, call) : call()
      },
      answer: (given) => answerRaw(response, given),
      gone: () => undefined,
    })
    return result
  }
}
