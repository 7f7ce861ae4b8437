import type { IncomingHttpHeaders } from 'node:http'
import type { HttpServer } from '@nestjs/common'
import { routeSays } from './nest-route.ts'
import type { GateHost, InboundOptions } from './options.ts'

/** What requests of both platforms have. */
export interface NestRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/**
 * Puts admission below Nest, where no body parser has run yet: while the application is made, so before it registers parsers and routes.
 * @throws where the platform is neither Fastify nor Express.
 */
export const platformAdmission = async (
  adapter: HttpServer,
  weir: GateHost,
  options: InboundOptions<NestRequest>,
): Promise<void> => {
  const platform = adapter.getType()
  if (platform === 'fastify') {
    const { weirFastify } = await import('../fastify.ts')
    await adapter.getInstance().register(weirFastify(weir, options))
  } else if (platform === 'express') {
    const { expressAdmission } = await import('./express.ts')
    adapter.getInstance().use(expressAdmission(weir, options, routeSays))
  } else throw new TypeError(`Weir knows NestJS on Fastify and on Express, not on ${platform}.`)
}
