import 'reflect-metadata'
import type { RouteSays } from './options.ts'

const ROUTE = 'weir:route'
/** Where Nest's Fastify adapter keeps the `config` of a route; what it holds reaches Fastify with the route. */
const FASTIFY_CONFIG = '__fastify_route_config__'

/** What a handler, as Nest registers it, says of its route. */
export const routeSays = (handler: unknown): RouteSays | undefined =>
  typeof handler === 'function' ? Reflect.getMetadata(ROUTE, handler) : undefined

const put = (handler: object, says: RouteSays): void => {
  Reflect.defineMetadata(ROUTE, says, handler)
  const config: object = Reflect.getMetadata(FASTIFY_CONFIG, handler) ?? {}
  Reflect.defineMetadata(FASTIFY_CONFIG, { ...config, weir: says }, handler)
}

/** On a method: adds to what it says. On a class: holds for each method of its own that does not say otherwise. */
export const routeDecorator =
  (says: RouteSays): ClassDecorator & MethodDecorator =>
  (target: object, _key?: string | symbol, descriptor?: PropertyDescriptor): void => {
    if (descriptor !== undefined) {
      put(descriptor.value, { ...routeSays(descriptor.value), ...says })
      return
    }
    const { prototype } = target as { readonly prototype: object }
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(prototype)))
      if (typeof value === 'function' && value !== target) put(value, { ...says, ...routeSays(value) })
  }
