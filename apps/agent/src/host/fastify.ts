import { Readable } from 'node:stream'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Admitted } from './inbound/admitted.ts'
import { HttpInbound } from './inbound/http.ts'
import type { GateHost, InboundOptions, RequestWeir, RouteSays } from './inbound/options.ts'
import type { HttpAnswer } from './inbound/problem.ts'
import { watch } from './inbound/watch.ts'

export type { GateHost, RequestWeir } from './inbound/options.ts'
export type WeirFastifyOptions = InboundOptions<FastifyRequest>

declare module 'fastify' {
  interface FastifyRequest {
    /** The permit of this request; `null` on exempt routes. */
    weir: RequestWeir | null
  }
  interface FastifyContextConfig {
    /** What the route says of itself: its gate, or that it is exempt. Goes before the options of `weirFastify`. */
    weir?: RouteSays
  }
}

const answer = (reply: FastifyReply, { status, headers, body }: HttpAnswer): void => {
  reply.code(status).headers(headers).send(Buffer.from(body))
}

const logged = (error: unknown, request: FastifyRequest): void =>
  request.log.warn({ err: error }, 'An option of weirFastify threw; it is ignored for this request.')

/**
 * Admission for Fastify 5: decided in `onRequest`, before the body is read, and waited for in the gate's queue. `await app.register(weirFastify(weir))`
 * before the routes, so that each handler's own end is seen; of a route declared earlier the answer is taken for the end.
 * The permit ends with the response *and* the handler. A caller that leaves books cancelled at once. A refusal is 429 or 503 with `Retry-After`, `weir-signal`,
 * `weir-reason` and a problem document. The work's deadline, class, tenant and attempt travel on into `weir.dependency` calls.
 */
export const weirFastify = (weir: GateHost, options: WeirFastifyOptions = {}): FastifyPluginCallback => {
  const inbound = new HttpInbound<FastifyRequest>(weir, { onError: logged, ...options })
  const exempt = new Set(options.exempt)
  const admissions = new WeakMap<FastifyRequest, Admitted>()
  const saysOf = ({ routeOptions }: FastifyRequest): RouteSays => ({
    exempt: exempt.has(routeOptions.url ?? ''),
    ...routeOptions.config?.weir,
  })

  const watched = (handler: RouteOptions['handler']): RouteOptions['handler'] =>
    function (this: unknown, request: FastifyRequest, reply: FastifyReply) {
      const call = () => Reflect.apply(handler, this, [request, reply])
      const handling = admissions.get(request)?.handling
      return handling ? watch(handling, (value) => value === reply, call) : call()
    } as RouteOptions['handler']

  const plugin: FastifyPluginCallback = (fastify, _given, registered) => {
    fastify.decorateRequest('weir', null)

    fastify.addHook('onRoute', (route) => {
      route.handler = watched(route.handler)
    })

    fastify.addHook('onRequest', (request, reply, done) => {
      const exchange = {
        request,
        raw: request.raw,
        response: reply.raw,
        route: request.routeOptions.url,
        says: saysOf(request),
      }
      inbound.enter(exchange, {
        pass: (admitted) => {
          if (admitted) admissions.set(request, admitted)
          request.weir = admitted
          done()
        },
        answer: (given) => answer(reply, given),
        gone: () => reply.hijack(),
      })
    })

    // The body parser leaves the asynchronous context of `onRequest`.
    fastify.addHook('preValidation', (request, _reply, done) => {
      const admitted = admissions.get(request)
      if (admitted === undefined) done()
      else admitted.within(done)
    })

    // Its caller left while the body was read or a hook ran: it is not started.
    fastify.addHook('preHandler', (request, reply, done) => {
      const handling = admissions.get(request)?.handling
      if (handling?.lost) {
        reply.hijack()
        handling.handlerEnded()
      } else done()
    })

    fastify.addHook('onSend', (request, _reply, payload, done) => {
      const handling = admissions.get(request)?.handling
      if (handling !== undefined) {
        if (payload instanceof Readable) payload.once('error', () => handling.bodyFails())
        handling.answered()
      }
      done(null, payload)
    })
    registered()
  }

  return Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: 'weir',
    [Symbol.for('plugin-meta')]: { name: 'weir', fastify: '5.x' },
  })
}
