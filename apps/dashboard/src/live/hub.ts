import type { LiveMessage, LiveRequest } from '@weir/api'

/** connecting: not yet; live: messages arrive; down: lost, and being tried again. */
export type LiveStatus = 'connecting' | 'live' | 'down'

export interface Watch {
  readonly environment: string
  readonly service: string | null
}

type Listener = (message: LiveMessage) => void

/** Silence after which the socket is held for dead: two heartbeats of the server, 5 s each, and a margin. */
const SILENCE_MS = 12_000
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 15_000

/** Wait before attempt `n` (0, 1, …): exponential with half of it at random, so that a restart is not met by all at once. */
export const retryDelay = (n: number, random: number): number => {
  const full = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** n)
  return full / 2 + (full / 2) * random
}

/**
 * The one live socket of the tab. Samples go straight to listeners and never through React; only the status is read by components.
 * `lastAt` and `clockOffset` are in ms.
 */
export class LiveHub {
  #socket: WebSocket | null = null
  #watch: Watch | null = null
  #status: LiveStatus = 'connecting'
  #attempt = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #watchdog: ReturnType<typeof setInterval> | undefined
  #lastAt = 0
  #clockOffset = 0
  readonly #listeners = new Set<Listener>()
  readonly #statusListeners = new Set<() => void>()

  /** `open` makes the socket; another one is given in tests. */
  constructor(readonly open: () => WebSocket) {}

  get status(): LiveStatus {
    return this.#status
  }

  /** When the last message came, by this machine's clock; 0 = never. */
  get lastAt(): number {
    return this.#lastAt
  }

  /** The control plane's present second: charts follow its clock, not the browser's. */
  get serverSecond(): number {
    return Math.floor((Date.now() + this.#clockOffset) / 1000)
  }

  start(): void {
    if (this.#watchdog !== undefined) return
    this.#connect()
    this.#watchdog = setInterval(() => this.#check(), 1_000)
  }

  stop(): void {
    clearTimeout(this.#timer)
    clearInterval(this.#watchdog)
    this.#watchdog = undefined
    const socket = this.#socket
    this.#socket = null
    socket?.close()
    this.#setStatus('connecting')
  }

  watch(watch: Watch): void {
    if (this.#watch?.environment === watch.environment && this.#watch.service === watch.service) return
    this.#watch = watch
    this.#sendWatch()
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onStatus = (listener: () => void): (() => void) => {
    this.#statusListeners.add(listener)
    return () => this.#statusListeners.delete(listener)
  }

  #connect(): void {
    const socket = this.open()
    this.#socket = socket
    socket.addEventListener('open', () => this.#sendWatch())
    socket.addEventListener('message', (event) => {
      if (this.#socket === socket) this.#take(event.data)
    })
    socket.addEventListener('close', () => {
      if (this.#socket === socket) this.#lost()
    })
  }

  #lost(): void {
    this.#socket = null
    this.#setStatus('down')
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#connect(), retryDelay(this.#attempt++, Math.random()))
  }

  #check(): void {
    if (this.#status !== 'live' || Date.now() - this.#lastAt < SILENCE_MS) return
    const socket = this.#socket
    this.#lost()
    socket?.close()
  }

  #take(data: unknown): void {
    const message = parse(data)
    if (message === null) return
    this.#lastAt = Date.now()
    if (message.type === 'ping') this.#send({ type: 'pong' })
    if (message.type === 'hello') {
      this.#clockOffset = Date.parse(message.at) - Date.now()
      this.#attempt = 0
    }
    this.#setStatus('live')
    for (const listener of this.#listeners) listener(message)
  }

  #sendWatch(): void {
    if (this.#watch !== null) this.#send({ type: 'watch', ...this.#watch })
  }

  #send(request: LiveRequest): void {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(request))
  }

  #setStatus(status: LiveStatus): void {
    if (this.#status === status) return
    this.#status = status
    for (const listener of this.#statusListeners) listener()
  }
}

const parse = (data: unknown): LiveMessage | null => {
  try {
    return JSON.parse(String(data)) as LiveMessage
  } catch {
    return null
  }
}
