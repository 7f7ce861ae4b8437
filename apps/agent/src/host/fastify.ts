import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { CRITICALITIES, type Criticality } from '@weir/policy/model'
import { type GateReport, HEADERS } from '@weir/wire/model'
import type { FastifyPluginCallback, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Entry, Permit, Refusal, Work } from '../admission/work.ts'
import { currentContext, type WorkContext } from '../core/context.ts'
import { Handling } from './handling.ts'
import { NOTHING_SAID, readInbound } from './inbound.ts'
import { httpRefusal } from './problem.ts'

/** The part of `Weir` that this host uses. */
export interface GateHost {
  gate(name: string): {
    acquire(work: Work): Entry | Promise<Entry>
    within<T>(work: Work, permit: Permit, fn: () => T): T
    report(): GateReport
  }
}

export interface WeirFastifyOptions {
  /** The gate of a request: a name, or by request. Default `http`. Streams and upgrades want one of their own. */
  readonly gate?: string | ((request: FastifyRequest) => string)
  /** Health probes, by the route as it was declared (`/healthz`, `/users/:id`). They pass the gate by, at most 16 at once. */
  readonly exempt?: readonly string[]
  /** Whether the host has authenticated the caller as one of its own: only then are its context headers believed. Default: nobody. */
  readonly trust?: (request: FastifyRequest) => boolean
  /** Whom the work is for, where the host knows. Goes before a trusted header. */
  readonly tenant?: (request: FastifyRequest) => string | undefined
  /** How much it matters, where the host knows. The lower of this and a trusted header holds; the policy caps both. */
  readonly criticality?: (request: FastifyRequest) => Criticality | undefined
}

/** `request.weir`: the permit of this request; `null` on exempt routes. */
export interface RequestWeir {
  readonly entry: Permit
  /** Whether the cheaper variant is asked for. */
  readonly degraded: boolean
  /** Until the caller stops waiting, milliseconds, at least 0. */
  readonly remainingMs: number
}

declare module 'fastify' {
  interface FastifyRequest {
    weir: RequestWeir | null
  }
}

/** Probes come one at a time: more at once are a flood in a probe's clothes, and queue like everybody. */
const MAX_EXEMPT = 16

interface State {
  readonly handling: Handling
  /** What travels with the work; `undefined` where the gate is off. */
  readonly context: WorkContext | undefined
  readonly trusted: boolean
  /** Runs something as part of this request's work. */
  readonly within: (fn: () => void) => void
}

/** A function of the host that throws counts as one that said nothing. */
const ask = <T>(request: FastifyRequest, question: ((request: FastifyRequest) => T) | undefined): T | undefined => {
  try {
    return question?.(request)
  } catch (error) {
    request.log.warn({ err: error }, 'An option of weirFastify threw; it is ignored for this request.')
    return undefined
  }
}

/** What is told about one request. */
const workOf = (
  request: FastifyRequest,
  options: WeirFastifyOptions,
  signal: AbortSignal,
): [Work, trusted: boolean] => {
  const trusted = ask(request, options.trust) === true
  const said = trusted ? readInbound(request.headers) : NOTHING_SAID
  return [
    {
      tenant: ask(request, options.tenant) ?? said.tenant,
      criticality: lower(ask(request, options.criticality), said.criticality),
      deadlineMs: said.deadlineMs,
      attempt: said.attempt,
      route: request.routeOptions.url,
      traceparent: request.headers.traceparent?.toString(),
      signal,
    },
    trusted,
  ]
}

const lower = (a: Criticality | undefined, b: Criticality | undefined): Criticality | undefined => {
  if (a === undefined || b === undefined) return a ?? b
  return CRITICALITIES.indexOf(a) > CRITICALITIES.indexOf(b) ? a : b
}

const refuse = (reply: FastifyReply, refusal: Refusal, figures: GateReport | null): void => {
  const { status, headers, body } = httpRefusal(refusal, figures)
  reply.code(status).headers(headers).send(Buffer.from(body))
}

/** Says when the handler's own work is over: its answer, or its promise. A handler that answers later by `reply` ends with its answer. */
const watched = (handler: RouteOptions['handler'], stateOf: (request: FastifyRequest) => State | undefined) =>
  function (this: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
    const handling = stateOf(request)?.handling
    if (handling === undefined) return Reflect.apply(handler, this, [request, reply])
    handling.handlerStarted()
    const ended = (value: unknown) => {
      if (value === reply || (value === undefined && !reply.sent)) handling.handlerDeferred()
      else handling.handlerEnded()
    }
    const failed = () => handling.handlerEnded()
    try {
      const result: unknown = Reflect.apply(handler, this, [request, reply])
      if (result === undefined) handling.handlerDeferred()
      else if (isThenable(result)) result.then(ended, failed)
      else ended(result)
      return result
    } catch (error) {
      failed()
      throw error
    }
  }

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as Partial<PromiseLike<unknown>> | null)?.then === 'function'

/**
 * Admission for Fastify 5: decided in `onRequest`, before the body is read, and waited for in the gate's queue. `await app.register(weirFastify(weir))`
 * before the routes, so that each handler's own end is seen; of a route declared earlier the answer is taken for the end.
 * The permit ends with the response *and* the handler. A caller that leaves books cancelled at once. A refusal is 429 or 503 with `Retry-After`, `weir-signal`,
 * `weir-reason` and a problem document. The work's deadline, class, tenant and attempt travel on into `weir.dependency` calls.
 */
export const weirFastify = (weir: GateHost, options: WeirFastifyOptions = {}): FastifyPluginCallback => {
  const exempt = new Set(options.exempt)
  const states = new WeakMap<FastifyRequest, State>()
  const gateOf = (request: FastifyRequest): string =>
    (typeof options.gate === 'function' ? ask(request, options.gate) : options.gate) ?? 'http'
  let probes = 0

  const plugin: FastifyPluginCallback = (fastify, _given, registered) => {
    fastify.decorateRequest('weir', null)

    fastify.addHook('onRoute', (route) => {
      route.handler = watched(route.handler, (request) => states.get(request)) as RouteOptions['handler']
    })

    fastify.addHook('onRequest', (request, reply, done) => {
      if (exempt.has(request.routeOptions.url ?? '') && probes < MAX_EXEMPT) {
        probes++
        reply.raw.once('close', () => probes--)
        done()
        return
      }
      admit(request, reply, done)
    })

    // The body parser leaves the asynchronous context of `onRequest`.
    fastify.addHook('preValidation', (request, _reply, done) => {
      const state = states.get(request)
      if (state === undefined) done()
      else state.within(done)
    })

    // Its caller left while the body was read or a hook ran: it is not started.
    fastify.addHook('preHandler', (request, reply, done) => {
      const handling = states.get(request)?.handling
      if (handling?.lost) {
        reply.hijack()
        handling.handlerEnded()
      } else done()
    })

    fastify.addHook('onSend', (request, reply, payload, done) => {
      const state = states.get(request)
      if (state !== undefined) {
        const retried = state.context?.retried ?? 0
        if (state.trusted && retried > 0) reply.header(HEADERS.retried, String(retried))
        if (payload instanceof Readable) payload.once('error', () => state.handling.bodyFails())
        state.handling.answered()
      }
      done(null, payload)
    })
    registered()
  }

  const admit = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const caller = new AbortController()
    const [work, trusted] = workOf(request, options, caller.signal)
    const gate = weir.gate(gateOf(request))
    let state: State | undefined
    reply.raw.once('close', () => {
      const complete = reply.raw.writableFinished
      if (!complete) caller.abort()
      if (state === undefined) return
      if (complete) state.handling.responseEnded(reply.raw.statusCode)
      else state.handling.responseLost(reply.sent)
    })
    const admitted = (entry: Entry): void => {
      if (!entry.accepted) {
        if (entry.reason === 'cancelled' || reply.raw.destroyed) reply.hijack()
        else refuse(reply, entry, trusted ? gate.report() : null)
        return
      }
      state = gate.within(work, entry, () => ({
        handling: new Handling(entry),
        context: currentContext(),
        trusted,
        within: AsyncLocalStorage.snapshot(),
      }))
      states.set(request, state)
      request.weir = viewOf(entry)
      // It left in the very step that let it in.
      if (reply.raw.destroyed) state.handling.responseLost(true)
      if (state.handling.lost) reply.hijack()
      else state.within(done)
    }
    const entry = gate.acquire(work)
    if ('then' in entry) void entry.then(admitted)
    else admitted(entry)
  }

  return Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: 'weir',
    [Symbol.for('plugin-meta')]: { name: 'weir', fastify: '5.x' },
  })
}

const viewOf = (entry: Permit): RequestWeir => ({
  entry,
  get degraded() {
    return entry.degraded
  },
  get remainingMs() {
    return entry.remainingMs
  },
})
