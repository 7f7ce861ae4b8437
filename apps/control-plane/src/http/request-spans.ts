import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** One span per answered request, by route and never by path: tenants and names stay out of span names. */
export const requestSpans = (fastify: FastifyInstance): void => {
  const tracer = trace.getTracer('weir.control-plane')
  const spans = new WeakMap<FastifyRequest, Span>()
  fastify.addHook('onRequest', (request, _reply, next) => {
    const route = request.routeOptions.url ?? 'unknown'
    const parent = propagation.extract(context.active(), request.headers)
    const span = tracer.startSpan(
      `${request.method} ${route}`,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': request.method, 'http.route': route } },
      parent,
    )
    spans.set(request, span)
    context.with(trace.setSpan(parent, span), next)
  })
  fastify.addHook('onResponse', (request, reply, next) => {
    const span = spans.get(request)
    span?.setAttribute('http.response.status_code', reply.statusCode)
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    next()
  })
}
