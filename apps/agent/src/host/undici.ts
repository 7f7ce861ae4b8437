import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Dependency } from '../outbound/dependency.ts'
import type { Attempt } from '../outbound/parts.ts'
import type { DependencyHost } from './fetch.ts'
import {
  classifyExchange,
  type HttpClientOptions,
  isIdempotent,
  isReplayable,
  joinBaggage,
} from './outbound/http-client.ts'

export { type DependencyHost, type FetchOptions, weirFetch } from './fetch.ts'

type Controller = Dispatcher.DispatchController
type Handler = Dispatcher.DispatchHandler
type Options = Dispatcher.DispatchOptions

/** A body that nobody wants is read to its end up to this many bytes, so that its connection can be used again; a longer one costs the connection. */
const DRAIN_MAX_BYTES = 65_536

export interface InterceptorOptions extends HttpClientOptions {
  /** Only requests to this origin are the dependency's; the others pass untouched, redirected ones too. Default: all of the dispatcher's. */
  readonly origin?: string | undefined
}

/**
 * An undici interceptor, `dispatcher.compose(weirInterceptor(weir, 'payments'))`: each request is a call of dependency `name`. Answers that are retried
 * never reach the caller. A call lasts until the body of the final answer is over. Upgrades and CONNECT are long-lived and pass untouched.
 */
export const weirInterceptor =
  (weir: DependencyHost, name: string, settings: InterceptorOptions = {}): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const { origin } = settings
    const elsewhere = origin !== undefined && new URL(origin).origin !== originOf(options)
    if (elsewhere || options.upgrade || options.method === 'CONNECT') return dispatch(options, handler)
    return new Exchange(weir.dependency(name), dispatch, options, handler, settings).start()
  }

const originOf = ({ origin }: Options): string | null => (origin === undefined ? null : new URL(origin).origin)

type HeaderValue = string | number | string[] | undefined

/** Header pairs of any of the forms that undici takes. */
const pairsOf = (headers: Options['headers']): [string, HeaderValue][] => {
  if (headers === null || headers === undefined) return []
  if (Array.isArray(headers)) {
    const pairs: [string, string][] = []
    for (let i = 0; i + 1 < headers.length; i += 2) pairs.push([String(headers[i]), String(headers[i + 1])])
    return pairs
  }
  if (Symbol.iterator in headers) return [...(headers as Iterable<[string, HeaderValue]>)]
  return Object.entries(headers)
}

const merged = (headers: Options['headers'], extra: Readonly<Record<string, string>>): Options['headers'] => {
  const result: Record<string, HeaderValue> = {}
  for (const [name, value] of pairsOf(headers)) {
    const key = name.toLowerCase()
    const present = result[key]
    result[key] = present === undefined || value === undefined ? value : [present, value].flat().map(String)
  }
  for (const [name, value] of Object.entries(extra))
    result[name] = name === 'baggage' ? joinBaggage([result[name] ?? []].flat().join(','), value) : value
  return result
}

/** One request of the caller, whatever number of attempts it takes. To the caller's handler it is the controller. */
class Exchange implements Controller {
  readonly handler: Handler
  readonly #dependency: Dependency
  readonly #dispatch: Dispatcher.Dispatch
  readonly #options: Options
  readonly #settings: InterceptorOptions
  readonly #caller = new AbortController()
  #started = false
  #over = false
  #paused = false
  #current: Controller | undefined
  #accepted = true

  constructor(
    dependency: Dependency,
    dispatch: Dispatcher.Dispatch,
    options: Options,
    handler: Handler,
    settings: InterceptorOptions,
  ) {
    this.#settings = settings
    this.#dependency = dependency
    this.#dispatch = dispatch
    this.#options = options
    this.handler = handler
  }

  start(): boolean {
    const { method, body, headers } = this.#options
    const hasKey = pairsOf(headers).some(([name]) => name.toLowerCase() === 'idempotency-key')
    this.#dependency
      .call((attempt) => this.#send(attempt), {
        idempotent: isReplayable(body) && isIdempotent(method, hasKey),
        signal: this.#caller.signal,
        classify: (end) => classifyExchange(end, (answer) => answer.head, this.#dependency.internal),
        discard: (answer) => answer.drain(),
        endpoints: this.#settings.endpoints?.(),
        tail: (answer) => (this.#settings.until === 'head' ? null : answer.over),
      })
      .then(
        (answer) => answer.handOn(),
        (error) => this.fail(error),
      )
    return this.#accepted
  }

  begin(controller: Controller, context: unknown): void {
    this.#current = controller
    if (this.#started) return
    this.#started = true
    this.handler.onRequestStart?.(this, context)
  }

  /** The caller steers this one from here on. */
  follow(controller: Controller | undefined): void {
    this.#current = controller
  }

  fail(error: unknown): void {
    if (this.#over) return
    this.#over = true
    this.handler.onResponseError?.(this, error instanceof Error ? error : new Error(String(error)))
  }

  /** The caller leaves: before there is an answer that ends the call, after it the connection. */
  abort(reason: Error): void {
    this.#caller.abort(reason)
    this.#current?.abort(reason)
  }

  pause(): void {
    this.#paused = true
    this.#current?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#current?.resume()
  }

  get paused(): boolean {
    return this.#paused
  }

  get aborted(): boolean {
    return this.#caller.signal.aborted || (this.#current?.aborted ?? false)
  }

  get reason(): Error | null {
    return this.#caller.signal.aborted ? this.#caller.signal.reason : (this.#current?.reason ?? null)
  }

  get rawHeaders() {
    return this.#current?.rawHeaders ?? null
  }

  get rawTrailers() {
    return this.#current?.rawTrailers ?? null
  }

  #send(attempt: Attempt): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const answer = new Answer(this, attempt.signal, resolve, reject)
      const headers = this.#dependency.internal ? merged(this.#options.headers, attempt.headers) : this.#options.headers
      const origin = attempt.endpoint ?? this.#options.origin
      const options = origin === undefined ? this.#options : { ...this.#options, origin }
      this.#accepted = this.#dispatch({ ...options, headers: headers ?? null }, answer)
    })
  }
}

/** One attempt's answer. It waits, paused at its head, until the call has decided: `handOn` to the caller, or `drain`. */
class Answer implements Handler {
  /** Settles when its body is over. */
  readonly over: Promise<void>
  readonly #over: PromiseWithResolvers<void> = Promise.withResolvers()
  head: { status: number; header(name: string): string | undefined } = { status: 0, header: () => undefined }
  readonly #exchange: Exchange
  readonly #signal: AbortSignal
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: unknown) => void
  #state: 'waiting' | 'handed-on' | 'drained' = 'waiting'
  #held: (() => void)[] = []
  #start: () => void = () => {}
  #controller: Controller | undefined
  #drainedBytes = 0

  constructor(
    exchange: Exchange,
    signal: AbortSignal,
    resolve: (answer: Answer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#exchange = exchange
    this.#signal = signal
    this.#resolve = resolve
    this.#reject = reject
    this.over = this.#over.promise
    this.over.catch(() => undefined)
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#controller = controller
    if (this.#signal.aborted) {
      controller.abort(asError(this.#signal.reason))
      return
    }
    this.#signal.addEventListener('abort', () => controller.abort(asError(this.#signal.reason)), { once: true })
    this.#exchange.begin(controller, context)
  }

  onRequestUpgrade(_controller: Controller, status: number, headers: IncomingHttpHeaders, socket: Duplex): void {
    this.#exchange.handler.onRequestUpgrade?.(this.#exchange, status, headers, socket)
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders, message?: string): void {
    const begin = () => this.#exchange.handler.onResponseStart?.(this.#exchange, status, headers, message)
    if (status < 200) {
      begin()
      return
    }
    controller.pause()
    this.#start = begin
    this.head = { status, header: (name) => [headers[name] ?? []].flat()[0] }
    this.#resolve(this)
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#state === 'drained') this.#dropped(controller, chunk)
    else this.#forward(() => this.#exchange.handler.onResponseData?.(this.#exchange, chunk))
  }

  onResponseEnd(_controller: Controller, trailers: IncomingHttpHeaders): void {
    this.#over.resolve()
    if (this.#state !== 'drained') this.#forward(() => this.#exchange.handler.onResponseEnd?.(this.#exchange, trailers))
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#reject(error)
    this.#over.reject(error)
    if (this.#state !== 'drained') this.#forward(() => this.#exchange.fail(error))
  }

  handOn(): void {
    this.#state = 'handed-on'
    this.#exchange.follow(this.#controller)
    try {
      this.#start()
      for (const event of this.#held) event()
    } catch (error) {
      this.#controller?.abort(asError(error))
    }
    this.#held = []
    if (!this.#exchange.paused) this.#controller?.resume()
  }

  drain(): void {
    this.#state = 'drained'
    this.#held = []
    this.#controller?.resume()
  }

  /** A paused connection may still deliver what it had read: that is held, bounded by undici's own read buffer. */
  #forward(event: () => void): void {
    if (this.#state === 'handed-on') event()
    else this.#held.push(event)
  }

  #dropped(controller: Controller, chunk: Buffer): void {
    this.#drainedBytes += chunk.length
    if (this.#drainedBytes > DRAIN_MAX_BYTES && !controller.aborted)
      controller.abort(new Error('The answer was not wanted and is too long to be read to its end.'))
  }
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))
