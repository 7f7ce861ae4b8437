import { AsyncLocalStorage } from 'node:async_hooks'
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'
import type { Admitted } from './inbound/admitted.ts'
import { GrpcCall, type GrpcInbound, type GrpcRequest } from './inbound/grpc.ts'
import type { GateHost, InboundOptions, RequestWeir } from './inbound/options.ts'
import { Probes } from './inbound/probes.ts'
import { Reader } from './inbound/reader.ts'
import { watch } from './inbound/watch.ts'

export type { GrpcRequest } from './inbound/grpc.ts'
export type { GateHost, RequestWeir } from './inbound/options.ts'
/** `exempt` are full method paths; default `/grpc.health.v1.Health/Check`. */
export type WeirGrpcOptions = Omit<InboundOptions<GrpcRequest>, 'defer' | 'deferBytes'>

const HEALTH = ['/grpc.health.v1.Health/Check']

const storage = new AsyncLocalStorage<Admitted>()

/** The permit of the call that is handled here and now; `null` on exempt methods. */
export const requestWeir = (): RequestWeir | null => storage.getStore() ?? null

/** gRPC shows nobody the end of a handler: `watched(async (call, callback) => …)` does, so that work that outlives its caller holds its slot until it ends. */
export const watched =
  <A extends unknown[]>(handler: (...args: A) => unknown): ((...args: A) => unknown) =>
  (...args) => {
    const handling = storage.getStore()?.handling
    const call = () => handler(...args)
    return handling ? watch(handling, () => false, call) : call()
  }

/**
 * Admission for servers of `@grpc/grpc-js`: `new Server({ interceptors: [weirGrpc(weir)] })`. Decided by the metadata, before a message is read, and waited for
 * in the gate's queue. A refusal is RESOURCE_EXHAUSTED or UNAVAILABLE with `grpc-retry-pushback-ms` (negative = stop), `weir-signal` and `weir-reason`.
 * The permit ends with the stream *and* the handler: after the caller left, with the single answer that a handler gives nevertheless; where a handler answers
 * by a stream, at once; with its own end where `watched` sees it. A message that cannot be read is answered by the library itself, unseen: booked as cancelled.
 */
export const weirGrpc = (weir: GateHost, options: WeirGrpcOptions = {}): ServerInterceptor => {
  const shared: GrpcInbound = {
    weir,
    reader: new Reader(options, weir),
    exempt: new Set(options.exempt ?? HEALTH),
    probes: new Probes(),
  }
  return (method, call) => {
    const one = new GrpcCall(shared, method, call)
    const within = (fn: () => void) => {
      const { admitted } = one
      if (admitted) admitted.within(() => storage.run(admitted, fn))
      else fn()
    }
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, pass) =>
            one.enter(metadata, () => {
              if (method.requestStream) one.handlerCalled()
              within(() => pass(metadata))
            }),
          onReceiveMessage: (message, pass) => {
            one.requested()
            within(() => pass(message))
          },
          onReceiveHalfClose: (pass) => {
            one.handlerCalled()
            within(pass)
          },
          onCancel: () => one.closed(),
        }),
      sendMessage: (message, next) => {
        one.message()
        next(message)
      },
      sendStatus: (status, next) => next(one.status(status)),
    })
  }
}
