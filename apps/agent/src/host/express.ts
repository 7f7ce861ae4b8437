import type { Request, RequestHandler } from 'express'
import { admissionOf, expressAdmission } from './inbound/express.ts'
import type { GateHost, InboundOptions } from './inbound/options.ts'
import { watch } from './inbound/watch.ts'

export type { GateHost, RequestWeir } from './inbound/options.ts'
export type WeirExpressOptions = InboundOptions<Request>

/**
 * Admission for Express 5: `app.use(weirExpress(weir))` before body parsers and routes. Decided before the body is read, and waited for in the gate's queue.
 * `exempt` names routes of the application itself, by the path as it was declared. The permit ends with the response; after the caller left, with
 * the answer that the handler gives nevertheless, or with its own end where `watched` sees it.
 */
export const weirExpress = (weir: GateHost, options: WeirExpressOptions = {}): RequestHandler =>
  expressAdmission(weir, options, () => undefined)

/** Express shows nobody the end of a handler: `app.get('/report', watched(async (request, response) => …))` does, so that work that outlives its caller holds its slot until it ends. */
export const watched =
  (handler: RequestHandler): RequestHandler =>
  (request, response, next) => {
    const call = () => handler(request, response, next)
    const admitted = admissionOf(request)
    return (admitted ? watch(admitted.handling, () => false, call) : call()) as ReturnType<RequestHandler>
  }
