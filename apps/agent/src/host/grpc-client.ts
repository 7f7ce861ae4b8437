import { InterceptingCall, type Interceptor, type Listener, Metadata, type StatusObject, status } from '@grpc/grpc-js'
import { HEADERS } from '@weir/wire/model'
import type { Dependency } from '../outbound/dependency.ts'
import type { Attempt } from '../outbound/parts.ts'
import { WeirRefusal, WeirTimeout } from '../outbound/refusal.ts'
import { classifyError } from '../outbound/verdict.ts'
import type { DependencyHost } from './fetch.ts'
import { classifyStatus } from './outbound/grpc-status.ts'
import { joinBaggage } from './outbound/http-client.ts'

export interface GrpcClientOptions {
  /** Whether a method, `/package.Service/Method`, may be done twice. Default: none, so no retries and no hedges. */
  readonly idempotent?: ((path: string) => boolean) | undefined
}

/**
 * A client interceptor of `@grpc/grpc-js`, `{ interceptors: [weirGrpcClient(weir, 'payments')] }`: each unary call is a call of dependency `name`, whose
 * time and the client's own deadline both bound it; the callee hears what is left as `grpc-timeout`. Streams are long-lived and pass untouched. What is
 * refused here ends as `UNAVAILABLE` with `weir-reason` and `weir-signal`, or `DEADLINE_EXCEEDED`. Leave retries to this one: no `retryPolicy` below it.
 */
export const weirGrpcClient =
  (weir: DependencyHost, name: string, { idempotent }: GrpcClientOptions = {}): Interceptor =>
  (options, nextCall) => {
    const { path, requestStream, responseStream } = options.method_definition
    if (requestStream || responseStream) return new InterceptingCall(nextCall(options))
    return new InterceptingCall(
      new UnaryExchange(weir.dependency(name), options, nextCall, idempotent?.(path) ?? false),
    )
  }

type Options = Parameters<Interceptor>[0]
type NextCall = Parameters<Interceptor>[1]
type Call = ReturnType<NextCall>
type Context = Parameters<Call['sendMessageWithContext']>[0]

/** How one attempt ended, whole. */
interface Answer {
  readonly metadata: Metadata | undefined
  readonly message: unknown
  readonly status: StatusObject
}

const statusOf = (error: unknown): Pick<StatusObject, 'code' | 'details'> & { metadata: Metadata } => {
  const metadata = new Metadata()
  const details = error instanceof Error ? error.message : String(error)
  if (error instanceof WeirTimeout) return { code: status.DEADLINE_EXCEEDED, details, metadata }
  if (!(error instanceof WeirRefusal)) return { code: status.CANCELLED, details, metadata }
  metadata.set(HEADERS.reason, error.reason)
  metadata.set(HEADERS.signal, error.signal)
  const code = error.reason === 'deadline-passed' ? status.DEADLINE_EXCEEDED : status.UNAVAILABLE
  return { code, details, metadata }
}

/** One unary call of the caller, whatever number of attempts it takes: what the caller sends is kept, what the last attempt got is handed on. */
class UnaryExchange implements Call {
  readonly #dependency: Dependency
  readonly #options: Options
  readonly #nextCall: NextCall
  readonly #idempotent: boolean
  readonly #caller = new AbortController()
  #metadata = new Metadata()
  #listener: Partial<Listener> | undefined
  #message: { readonly context: Context; readonly value: unknown } | undefined
  #current: Call | undefined

  constructor(dependency: Dependency, options: Options, nextCall: NextCall, idempotent: boolean) {
    this.#dependency = dependency
    this.#options = options
    this.#nextCall = nextCall
    this.#idempotent = idempotent
  }

  start(metadata: Metadata, listener?: Partial<Listener>): void {
    this.#metadata = metadata
    this.#listener = listener
  }

  sendMessageWithContext(context: Context, value: unknown): void {
    this.#message = { context, value }
  }

  sendMessage(value: unknown): void {
    this.sendMessageWithContext({}, value)
  }

  halfClose(): void {
    const { deadline } = this.#options
    const dependency = this.#dependency
    dependency
      .call((attempt) => this.#send(attempt, dependency.internal), {
        idempotent: this.#idempotent,
        signal: this.#caller.signal,
        deadlineMs: deadline === undefined ? undefined : Number(deadline) - Date.now(),
        classify: (end) =>
          end.ok
            ? classifyStatus(end.value.status.code, end.value.status.metadata, dependency.internal)
            : classifyError(end.error),
      })
      .then(
        (answer) => this.#handOn(answer),
        (error) => this.#handOn({ metadata: undefined, message: null, status: statusOf(error) }),
      )
  }

  cancelWithStatus(code: status, details: string): void {
    this.#caller.abort(new Error(details, { cause: code }))
  }

  startRead(): void {}

  getPeer(): string {
    return this.#current?.getPeer() ?? 'unknown'
  }

  getAuthContext() {
    return this.#current?.getAuthContext() ?? null
  }

  #send(attempt: Attempt, internal: boolean): Promise<Answer> {
    const call = this.#nextCall({ ...this.#options, ...deadlineOf(attempt) })
    this.#current = call
    const { signal } = attempt
    signal.addEventListener('abort', () => call.cancelWithStatus(status.CANCELLED, 'Nobody waits for it any more.'))
    return new Promise((resolve) => {
      let metadata: Metadata | undefined
      let message: unknown = null
      call.start(this.#outgoing(attempt, internal), {
        onReceiveMetadata: (given) => {
          metadata = given
        },
        onReceiveMessage: (given) => {
          message = given
        },
        onReceiveStatus: (given) => resolve({ metadata, message, status: given }),
      })
      call.sendMessageWithContext(this.#message?.context ?? {}, this.#message?.value)
      call.halfClose()
    })
  }

  #outgoing(attempt: Attempt, internal: boolean): Metadata {
    const metadata = this.#metadata.clone()
    if (!internal) return metadata
    for (const [name, value] of Object.entries(attempt.headers))
      metadata.set(name, name === 'baggage' ? joinBaggage(metadata.get(name)[0]?.toString(), value) : value)
    return metadata
  }

  #handOn({ metadata, message, status }: Answer): void {
    if (metadata !== undefined) this.#listener?.onReceiveMetadata?.(metadata, () => undefined)
    this.#listener?.onReceiveMessage?.(message, () => undefined)
    this.#listener?.onReceiveStatus?.(status, () => undefined)
  }
}

const deadlineOf = ({ remainingMs }: Attempt): Pick<Options, 'deadline'> =>
  Number.isFinite(remainingMs) ? { deadline: Date.now() + remainingMs } : {}
