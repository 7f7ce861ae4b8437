import { Metadata, type ServerInterceptingCallInterface } from '@grpc/grpc-js'
import { HEADERS } from '@weir/wire/model'
import type { Entry } from '../../admission/work.ts'
import { Admitted } from './admitted.ts'
import type { Headers } from './context.ts'
import { grpcRefusal } from './grpc-refusal.ts'
import type { GateHost } from './options.ts'
import { grpcEnding } from './outcome.ts'
import type { Probes } from './probes.ts'
import type { Reader } from './reader.ts'

/** One call as the options see it. */
export interface GrpcRequest {
  /** `/package.Service/Method`. */
  readonly path: string
  readonly metadata: Metadata
  readonly call: ServerInterceptingCallInterface
}

/** What all calls of one interceptor share. */
export interface GrpcInbound {
  readonly weir: GateHost
  readonly reader: Reader<GrpcRequest>
  readonly exempt: ReadonlySet<string>
  readonly probes: Probes
}

type Status = Parameters<ServerInterceptingCallInterface['sendStatus']>[0]

/** The part of a method's definition that decides when its end is seen. */
export interface Method {
  readonly path: string
  readonly requestStream: boolean
  readonly responseStream: boolean
}

const headersOf = (metadata: Metadata): Headers => {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(metadata.getMap())) if (typeof value === 'string') headers[name] = value
  return headers
}

/** gRPC ends the call at its deadline whoever set it, so it holds for everybody. */
const remainingMs = (call: ServerInterceptingCallInterface): number | undefined => {
  const deadline = Number(call.getDeadline())
  return Number.isFinite(deadline) ? Math.max(0, deadline - Date.now()) : undefined
}

/** One call from its head to the end of its stream. */
export class GrpcCall {
  readonly #shared: GrpcInbound
  readonly #method: Method
  readonly #call: ServerInterceptingCallInterface
  readonly #caller = new AbortController()
  #admitted: Admitted | undefined
  #probe = false
  /** Whether there is something to call a handler for. */
  #requested: boolean
  #handlerCalled = false
  #begun = false
  #code: number | undefined

  constructor(shared: GrpcInbound, method: Method, call: ServerInterceptingCallInterface) {
    this.#shared = shared
    this.#method = method
    this.#call = call
    this.#requested = method.requestStream
  }

  get admitted(): Admitted | undefined {
    return this.#admitted
  }

  /** Runs `pass` when the call is let in; else it is answered. The request's messages are not read before. */
  enter(metadata: Metadata, pass: () => void): void {
    const { weir, reader, exempt, probes } = this.#shared
    const { path } = this.#method
    if (exempt.has(path) && probes.enter()) {
      this.#probe = true
      pass()
      return
    }
    const request: GrpcRequest = { path, metadata, call: this.#call }
    const told = reader.read(request, {
      get headers() {
        return headersOf(metadata)
      },
      traceparent: metadata.get('traceparent')[0]?.toString(),
      route: path,
      signal: this.#caller.signal,
      deadlineMs: remainingMs(this.#call),
    })
    const gate = weir.gate(reader.gateOf(request, 'grpc'))
    const decided = (entry: Entry): void => {
      if (!entry.accepted) {
        if (entry.reason !== 'cancelled') this.#refuse(grpcRefusal(entry, told.trusted))
        return
      }
      const admitted = new Admitted(gate, told, entry)
      this.#admitted = admitted
      // It left in the very step that let it in.
      if (this.#caller.signal.aborted) admitted.handling.responseLost(true)
      else pass()
    }
    const entry = gate.acquire(told.work)
    if ('then' in entry) void entry.then(decided)
    else decided(entry)
  }

  /** A message of the request is there. */
  requested(): void {
    this.#requested = true
  }

  /** The next step starts the handler, where there is something to handle. */
  handlerCalled(): void {
    this.#handlerCalled = this.#requested
  }

  /** An answer begins. That of a single message is the end of a handler that is not seen. */
  message(): void {
    this.#begun = true
    if (!this.#method.responseStream) this.#admitted?.handling.answered()
  }

  /** The status as it leaves. One before any request is the library's own word on a stream that broke off. */
  status(status: Status): Status {
    if (!this.#handlerCalled) return status
    this.#code = status.code ?? 2
    const admitted = this.#admitted
    admitted?.handling.answered()
    const retried = admitted?.retried ?? 0
    if (retried === 0) return status
    const metadata = status.metadata?.clone() ?? new Metadata()
    metadata.set(HEADERS.retried, String(retried))
    return { ...status, metadata }
  }

  /** Its stream is over, whole or broken off. */
  closed(): void {
    if (this.#probe) {
      this.#probe = false
      this.#shared.probes.leave()
    }
    const handling = this.#admitted?.handling
    if (this.#code !== undefined) handling?.responseEnded(grpcEnding(this.#code))
    else {
      this.#caller.abort()
      // The library destroys a stream that lost its caller: nothing more will be heard of its handler.
      handling?.responseLost(this.#begun || this.#method.responseStream || !this.#handlerCalled)
    }
  }

  #refuse({ code, details, metadata }: ReturnType<typeof grpcRefusal>): void {
    const trailers = new Metadata()
    for (const [name, value] of Object.entries(metadata)) trailers.set(name, value)
    this.#call.sendStatus({ code, details, metadata: trailers })
  }
}
