import type { Request, RequestHandler } from 'express'
import type { Admitted } from './admitted.ts'
import { ExpressRoutes } from './express-routes.ts'
import { HttpInbound } from './http.ts'
import type { GateHost, InboundOptions, RequestWeir, RouteSays } from './options.ts'
import { answerRaw } from './raw.ts'

declare global {
  namespace Express {
    interface Request {
      /** The permit of this request; `null` on exempt routes. */
      weir: RequestWeir | null
    }
  }
}

const admissions = new WeakMap<Request, Admitted>()

/** The admission of a request, by whichever middleware let it in. */
export const admissionOf = (request: Request): Admitted | undefined => admissions.get(request)

/** `saysOf`: what a route's handlers say of it. */
export const expressAdmission = (
  weir: GateHost,
  options: InboundOptions<Request>,
  saysOf: (handler: unknown) => RouteSays | undefined,
): RequestHandler => {
  const inbound = new HttpInbound<Request>(weir, options)
  const exempt = new Set<unknown>(options.exempt)
  const routes = new ExpressRoutes((path, handlers) => {
    const said = handlers.map(saysOf).find((says) => says !== undefined)
    return exempt.has(path) ? { exempt: true, ...said } : said
  })
  return (request, response, next) => {
    const exchange = { request, raw: request, response, route: request.path, says: routes.of(request) }
    inbound.enter(exchange, {
      pass: (admitted) => {
        request.weir = admitted
        if (admitted) admissions.set(request, admitted)
        next()
      },
      answer: (given) => answerRaw(response, given),
      gone: () => undefined,
    })
  }
}
