import {
  AGENT_PATHS,
  type AgentMessage,
  CLOSE,
  type ControlMessage,
  type Hello,
  SUBPROTOCOL,
  WIRE,
} from '@weir/wire/model'
import { decodeControlMessage, encode } from '@weir/wire/schema'
import WebSocket from 'ws'
import { backoffMs, MAX_UNAUTHORIZED_MS } from '../core/backoff.ts'
import type { Runtime } from '../core/clock.ts'
import { Heartbeat } from './heartbeat.ts'

export interface StreamOptions {
  /** `ws:` or `wss:` origin. */
  readonly origin: string
  readonly key: string
  readonly runtime: Runtime
  readonly hello: () => Hello
  readonly onMessage: (message: Exclude<ControlMessage, { type: 'ping' | 'drain' }>) => void
  /** A planned restart is near. */
  readonly onDrain?: () => void
  /** `up` after the welcome, `down` when that socket ended by itself, `failed` when there was no welcome. */
  readonly onState: (state: 'up' | 'down' | 'failed') => void
}

/** Frames that no table knows, per socket, before it is given up. */
const MAX_STRANGE = 10
const HANDSHAKE_TIMEOUT_MS = 10_000
/** What the control plane says to a wait is obeyed up to this, seconds. */
const MAX_RETRY_AFTER_SECONDS = 60
/** More unsent bytes than this: reports are skipped, the control plane is not reading. */
const MAX_UNSENT_BYTES = 1_048_576

/** The push connection: exactly one socket, opened anew with back-off for as long as the agent lives. */
export class Stream {
  readonly #o: StreamOptions
  readonly #heartbeat: Heartbeat
  #socket: WebSocket | null = null
  #retry: unknown = null
  #drain: unknown = null
  #reconnectAt: number | null = null
  #retryAfterMs: number | null = null
  #failures = 0
  #unauthorized = 0
  #strange = 0
  #up = false
  #closed = false
  #lastFault = ''

  constructor(options: StreamOptions) {
    this.#o = options
    this.#heartbeat = new Heartbeat(options.runtime, () => this.#drop('The control plane fell silent.'))
  }

  get isUp(): boolean {
    return this.#up
  }

  start(): void {
    this.#open()
  }

  /** Sends when there is a welcomed socket that is being read; else the message is dropped, for there is always a newer one. */
  send(message: AgentMessage): boolean {
    const socket = this.#socket
    if (!this.#up || socket?.readyState !== WebSocket.OPEN || socket.bufferedAmount > MAX_UNSENT_BYTES) return false
    const text = encode(message)
    if (Buffer.byteLength(text) > WIRE.maxAgentMessageBytes) {
      this.#fault(`A ${message.type} of ${text.length} bytes is too long to send.`)
      return false
    }
    socket.send(text)
    return true
  }

  /** Says bye and ends; resolves when the socket is gone, `withinMs` at the latest. */
  close(reason: string, withinMs: number): Promise<void> {
    this.#closed = true
    this.#stopTimers()
    const socket = this.#socket
    if (socket === null) return Promise.resolve()
    return new Promise((resolve) => {
      const force = setTimeout(() => socket.terminate(), withinMs)
      socket.once('close', () => {
        clearTimeout(force)
        resolve()
      })
      if (!this.#up) socket.terminate()
      else socket.send(encode({ type: 'bye', reason }), () => socket.close(1000))
    })
  }

  #stopTimers(): void {
    const { timers } = this.#o.runtime
    timers.clear(this.#retry)
    timers.clear(this.#drain)
    this.#heartbeat.stop()
  }

  #open(): void {
    let socket: WebSocket
    try {
      socket = new WebSocket(`${this.#o.origin}${AGENT_PATHS.socket}`, SUBPROTOCOL, {
        headers: { authorization: `Bearer ${this.#o.key}` },
        maxPayload: WIRE.maxControlMessageBytes,
        handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
        perMessageDeflate: false,
        followRedirects: false,
        // A host that has nothing left to do must be able to end.
        finishRequest: (request) => {
          request.once('socket', (connection) => connection.unref())
          request.end()
        },
      })
    } catch (error) {
      this.#fault(String(error))
      this.#later(null)
      return
    }
    this.#socket = socket
    this.#strange = 0
    let answered: number | null = null
    socket.on('unexpected-response', (request, response) => {
      answered = response.statusCode ?? 0
      this.#retryAfterMs = retryAfterMs(response.headers['retry-after'])
      response.resume()
      this.#fault(
        answered === 401 || answered === 403
          ? `The control plane does not accept this key (${answered}).`
          : `The control plane answered ${answered} instead of opening a socket.`,
      )
      request.destroy()
      socket.terminate()
    })
    socket.on('error', (error) => {
      if (answered === null) this.#fault(error.message)
    })
    socket.on('open', () => {
      this.#heartbeat.start(WIRE.heartbeatMs)
      socket.send(encode(this.#o.hello()))
    })
    socket.on('message', (data, isBinary) => {
      if (socket === this.#socket && !this.#closed) this.#receive(socket, isBinary ? null : data.toString())
    })
    socket.on('close', (code) => {
      if (socket !== this.#socket) return
      this.#socket = null
      this.#ended(code, answered)
    })
  }

  #ended(code: number, answered: number | null): void {
    const wasUp = this.#up
    this.#up = false
    this.#heartbeat.stop()
    this.#o.runtime.timers.clear(this.#drain)
    if (this.#closed) return
    this.#o.onState(wasUp ? 'down' : 'failed')
    if (code === CLOSE.keyRevoked) this.#fault('The key was revoked.')
    if (code === CLOSE.replaced) this.#fault('Another process uses the same instance name.')
    const barred = answered === 401 || answered === 403 || code === CLOSE.keyRevoked || code === CLOSE.replaced
    this.#later(barred ? WIRE.unauthorizedBackoffMs : null)
  }

  /** Plans the one next attempt. */
  #later(unauthorizedMs: number | null): void {
    if (this.#closed) return
    const { clock, timers, random } = this.#o.runtime
    let delay: number
    if (this.#reconnectAt !== null) delay = Math.max(0, this.#reconnectAt - clock.now())
    else if (this.#retryAfterMs !== null) delay = this.#retryAfterMs * (1 + random())
    else if (unauthorizedMs !== null)
      delay = backoffMs(this.#unauthorized++, unauthorizedMs, MAX_UNAUTHORIZED_MS, random)
    else delay = backoffMs(this.#failures++, WIRE.reconnectMinMs, WIRE.reconnectMaxMs, random)
    this.#reconnectAt = null
    this.#retryAfterMs = null
    this.#retry = timers.set(() => this.#open(), delay)
  }

  #receive(socket: WebSocket, text: string | null): void {
    this.#heartbeat.heard()
    const decoded = text === null ? null : decodeControlMessage(text)
    if (decoded === null || !decoded.ok) {
      const what = decoded === null ? 'a binary frame' : `${decoded.code}: ${decoded.problems[0]?.message ?? ''}`
      this.#fault(`A message of the control plane was not understood (${what.slice(0, 200)}).`)
      if (decoded?.code !== 'invalid' || ++this.#strange >= MAX_STRANGE) socket.close(CLOSE.protocol, 'not understood')
      return
    }
    const { message } = decoded
    if (message.type === 'ping') {
      socket.send(encode({ type: 'pong', n: message.n }))
      return
    }
    if (message.type === 'drain') {
      this.#o.onDrain?.()
      this.#planDrain(message.minMs, Math.max(message.minMs, message.maxMs))
      return
    }
    if (message.type === 'welcome') {
      this.#heartbeat.start(message.heartbeatMs)
      this.#failures = 0
      this.#unauthorized = 0
      this.#lastFault = ''
      const first = !this.#up
      this.#up = true
      this.#deliver(message)
      if (first) this.#o.onState('up')
      return
    }
    this.#deliver(message)
  }

  #deliver(message: Exclude<ControlMessage, { type: 'ping' | 'drain' }>): void {
    try {
      this.#o.onMessage(message)
    } catch (error) {
      this.#o.runtime.onError(error, 'stream')
    }
  }

  #planDrain(minMs: number, maxMs: number): void {
    const { clock, timers, random } = this.#o.runtime
    const delay = minMs + (maxMs - minMs) * random()
    this.#reconnectAt = clock.now() + delay
    timers.clear(this.#drain)
    this.#drain = timers.set(() => this.#socket?.close(1000), delay)
  }

  #drop(why: string): void {
    this.#fault(why)
    this.#socket?.terminate()
  }

  /** Each kind of trouble is told once until the next welcome. */
  #fault(message: string): void {
    if (message === this.#lastFault) return
    this.#lastFault = message
    this.#o.runtime.onError(new Error(message), 'stream')
  }
}

/** Of an answer that says when to come back: it is there and only busy, so that no growing wait is needed. Whoever was told the same comes up to twice as late. */
const retryAfterMs = (header: string | undefined): number | null => {
  const seconds = /^\d{1,9}$/.test(header ?? '') ? Number(header) : 0
  return seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) * 1_000 : null
}
