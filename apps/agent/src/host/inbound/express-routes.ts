import type { Request } from 'express'
import type { RouteSays } from './options.ts'

/** What Express keeps of each route and middleware of an application. */
interface Layer {
  readonly route?: {
    readonly path: unknown
    readonly methods: Readonly<Record<string, boolean | undefined>>
    readonly stack: readonly { readonly handle: unknown }[]
  }
  match(path: string): unknown
}

type Says = (path: unknown, handlers: readonly unknown[]) => RouteSays | undefined

const SAYS_NOTHING: RouteSays = Object.freeze({})

const takes = ({ route }: Layer, method: string): boolean => {
  if (route === undefined) return false
  const { methods } = route
  return !!(methods._all || methods[method] || (method === 'head' && methods.get))
}

/**
 * Which route of the application a request will be routed to, and what it says of itself, before Express routes it. Express's own matchers decide, in its
 * order. Only routes that say something are tried first, so that a request to any other costs no second routing.
 */
export class ExpressRoutes {
  readonly #says: Says
  #stack: readonly Layer[] = []
  #known = 0
  #telling: readonly (readonly [Layer, RouteSays])[] = []

  constructor(says: Says) {
    this.#says = says
  }

  of(request: Request): RouteSays {
    this.#learn(request)
    if (this.#telling.length === 0) return SAYS_NOTHING
    const path = request.baseUrl + request.path
    const method = request.method.toLowerCase()
    try {
      const found = this.#telling.find(([layer]) => takes(layer, method) && layer.match(path))
      if (found === undefined) return SAYS_NOTHING
      const routed = this.#stack.find((layer) => takes(layer, method) && layer.match(path))
      return this.#telling.find(([layer]) => layer === routed)?.[1] ?? SAYS_NOTHING
    } catch {
      // A path that cannot be decoded: Express answers 400 itself.
      return SAYS_NOTHING
    }
  }

  /** Routes may be declared at any time. */
  #learn(request: Request): void {
    const stack = request.app.router?.stack as unknown as readonly Layer[] | undefined
    if (stack === undefined || (stack === this.#stack && stack.length === this.#known)) return
    this.#stack = stack
    this.#known = stack.length
    this.#telling = stack.flatMap((layer) => {
      const { route } = layer
      const says =
        route &&
        this.#says(
          route.path,
          route.stack.map(({ handle }) => handle),
        )
      return says ? [[layer, says] as const] : []
    })
  }
}
