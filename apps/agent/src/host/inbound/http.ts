import type { IncomingMessage, ServerResponse } from 'node:http'
import { HEADERS } from '@weir/wire/model'
import type { Deferred } from '../../admission/deferral.ts'
import type { Entry } from '../../admission/work.ts'
import { Admitted } from './admitted.ts'
import { httpDeferred, Later } from './deferred.ts'
import type { GateHost, InboundOptions, RouteSays } from './options.ts'
import { httpEnding } from './outcome.ts'
import { Probes } from './probes.ts'
import { type HttpAnswer, httpRefusal } from './problem.ts'
import { Reader } from './reader.ts'

/** One HTTP request as its framework holds it and as Node does. */
export interface Exchange<R> {
  readonly request: R
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  /** As declared, where the framework knows it already. */
  readonly route: string | undefined
  readonly says: RouteSays
}

/** What the framework does next. Exactly one is called, once. */
export interface Ways {
  /** `null`: an exempt probe. */
  pass(admitted: Admitted | null): void
  /** A refusal, or that it was deferred. */
  answer(answer: HttpAnswer): void
  /** The caller left: nobody waits for an answer. */
  gone(): void
}

/** Whether the connection is this request's own for the time being; in HTTP/2 many share it. */
const ownsConnection = (raw: IncomingMessage): boolean => raw.httpVersionMajor === 1

/**
 * Whether a response that broke off was broken from our side: by an error that was handed to it and so to its connection, or by a connection that neither
 * the peer ended nor the network failed. (Node itself gives a response that lost its peer an error too, of its own.)
 */
const brokenByUs = (raw: IncomingMessage, { errored }: ServerResponse): boolean => {
  if (!ownsConnection(raw)) return errored != null
  const { socket } = raw
  if (errored != null && errored === socket.errored) return true
  return socket.destroyed && !socket.readableEnded && socket.errored == null
}

/**
 * Calls `closed` once when the response is complete or can no longer be. A pipelined response does not hear of its connection's end: its request does.
 * A response of HTTP/2 says that it finished even where its stream broke off: its request knows.
 */
const whenClosed = (raw: IncomingMessage, response: ServerResponse, closed: (complete: boolean) => void): void => {
  let finished = false
  let told = false
  const tell = () => {
    if (told) return
    told = true
    closed(ownsConnection(raw) ? finished || response.writableFinished : !raw.aborted)
  }
  response.once('finish', () => {
    finished = true
  })
  response.once('close', tell)
  raw.once('close', () => {
    if (ownsConnection(raw) && raw.socket.destroyed) tell()
  })
}

/** Sees the answer begin and end, whatever of the framework sends it. */
const followAnswer = (response: ServerResponse, admitted: Admitted): void => {
  const { writeHead, end } = response
  response.writeHead = function (this: ServerResponse, ...head: unknown[]) {
    const { retried } = admitted
    if (retried > 0 && !this.headersSent) this.setHeader(HEADERS.retried, String(retried))
    return Reflect.apply(writeHead, this, head)
  } as typeof writeHead
  response.end = function (this: ServerResponse, ...last: unknown[]) {
    admitted.handling.answered()
    return Reflect.apply(end, this, last)
  } as typeof end
}

/** Admission of HTTP requests, decided when the head is parsed and before a byte of the body is read; each framework is a thin file around it. */
export class HttpInbound<R> {
  readonly #weir: GateHost
  readonly #options: InboundOptions<R>
  readonly #reader: Reader<R>
  readonly #probes = new Probes()

  constructor(weir: GateHost, options: InboundOptions<R>) {
    this.#weir = weir
    this.#options = options
    this.#reader = new Reader(options, weir)
  }

  enter(exchange: Exchange<R>, ways: Ways): void {
    if (!exchange.says.exempt || !this.#probes.enter()) {
      this.#admit(exchange, ways)
      return
    }
    whenClosed(exchange.raw, exchange.response, () => this.#probes.leave())
    ways.pass(null)
  }

  #admit({ request, raw, response, route, says }: Exchange<R>, ways: Ways): void {
    const caller = new AbortController()
    const { headers } = raw
    const told = this.#reader.read(request, {
      headers,
      traceparent: headers.traceparent?.toString(),
      route,
      signal: caller.signal,
    })
    const gate = this.#weir.gate(says.gate ?? this.#reader.gateOf(request, 'http'))
    let admitted: Admitted | undefined
    whenClosed(raw, response, (complete) => {
      if (!complete) caller.abort()
      if (complete) admitted?.handling.responseEnded(httpEnding(response.statusCode))
      else {
        if (response.headersSent && brokenByUs(raw, response)) admitted?.handling.bodyFails()
        admitted?.handling.responseLost(response.headersSent)
      }
    })
    const later = this.#options.defer && new Later(this.#options, request, raw)
    const decided = (entry: Entry | Deferred): void => {
      if (!entry.accepted) {
        if (response.destroyed) ways.gone()
        else if ('deferred' in entry) ways.answer(httpDeferred(entry, later?.location))
        else if (entry.reason === 'cancelled') ways.gone()
        else ways.answer(httpRefusal(entry, told.trusted ? gate.report() : null))
        return
      }
      const one = new Admitted(gate, told, entry)
      admitted = one
      // It left in the very step that let it in.
      if (caller.signal.aborted || response.destroyed) {
        one.handling.responseLost(true)
        ways.gone()
        return
      }
      followAnswer(response, one)
      one.within(() => ways.pass(one))
    }
    const entry = later ? gate.acquireOrDefer(told.work, later.job) : gate.acquire(told.work)
    if ('then' in entry) void entry.then(decided)
    else decided(entry)
  }
}
