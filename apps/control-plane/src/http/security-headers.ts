import type { FastifyInstance } from 'fastify'

/** The dashboard loads from its own origin only; Mantine sets styles inline. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** One year, once the page came over TLS. */
const STRICT_TRANSPORT = 'max-age=31536000'

/** Sets the headers on every answer; answers of the API are never stored by a cache. */
export const securityHeaders = (fastify: FastifyInstance): void => {
  fastify.addHook('onRequest', (request, reply, next) => {
    reply.headers(HEADERS)
    if (request.protocol === 'https') reply.header('strict-transport-security', STRICT_TRANSPORT)
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store')
    next()
  })
}
