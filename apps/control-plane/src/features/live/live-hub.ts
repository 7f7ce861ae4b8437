import { type Agent, type Alert, LIVE, type LiveMessage, type LiveRow, liveRequestSchema } from '@weir/api'
import { LIVE_BOUNDS, LIVE_CLOSE } from './live-bounds.ts'
import { LiveBroadcast, type PublishedNotice } from './live-port.ts'
import { MessageRate } from './message-rate.ts'
import type { Frame, TextSocket } from './socket-port.ts'

/** Who is behind a live socket, and the question whether that still holds. A check that fails to answer leaves things as they are. */
export interface LiveVisitor {
  readonly identity: string
  stillAllowed(): Promise<boolean>
}

interface Watcher {
  readonly socket: TextSocket
  readonly visitor: LiveVisitor
  readonly rate: MessageRate
  environment: string | null
  service: string | null
  lastHeardMs: number
  lastPingMs: number
  lastCheckMs: number
  checking: boolean
}

/** What the transport calls for one socket. */
export interface LiveConnection {
  /** `null`: a binary frame. */
  message(text: string | null): void
  closed(): void
}

const encode = (message: LiveMessage): Buffer => Buffer.from(JSON.stringify(message))
const PING = encode({ type: 'ping' })

/** Sockets by what they watch. `beat` drives every time-out: no timer per socket. */
export class LiveHub extends LiveBroadcast {
  private readonly watchers = new Set<Watcher>()
  private draining = false

  constructor(
    private readonly databaseId: () => string,
    private readonly clock: { monotonicMs(): number; wallMs(): number },
    private readonly bounds: { readonly sockets: number; readonly socketsPerIdentity: number } = LIVE_BOUNDS,
  ) {
    super()
  }

  get size(): number {
    return this.watchers.size
  }

  /** What the dashboards here look at. */
  *watching(): Iterable<{ readonly environment: string; readonly service: string | null }> {
    for (const { environment, service } of this.watchers) if (environment !== null) yield { environment, service }
  }

  /** Greets the socket, or closes it where there are too many. */
  connect(socket: TextSocket, visitor: LiveVisitor): LiveConnection {
    const nowMs = this.clock.monotonicMs()
    const refusal = this.refusal(visitor)
    if (refusal !== null) {
      socket.close(refusal.code, refusal.reason)
      return { message: () => undefined, closed: () => undefined }
    }
    const watcher: Watcher = {
      socket,
      visitor,
      rate: new MessageRate(LIVE_BOUNDS.messagesPerSecond, LIVE_BOUNDS.rateWindowMs),
      environment: null,
      service: null,
      lastHeardMs: nowMs,
      lastPingMs: nowMs,
      lastCheckMs: nowMs,
      checking: false,
    }
    this.watchers.add(watcher)
    const at = new Date(this.clock.wallMs()).toISOString()
    socket.send(encode({ type: 'hello', at, databaseId: this.databaseId() }))
    return {
      message: (text) => this.receive(watcher, text),
      closed: () => void this.watchers.delete(watcher),
    }
  }

  /** Pings, drops the silent, and asks again who may look. Called about once a second. */
  beat(): void {
    const nowMs = this.clock.monotonicMs()
    for (const watcher of this.watchers) {
      if (nowMs - watcher.lastHeardMs > LIVE_BOUNDS.heartbeatMs * LIVE_BOUNDS.missedHeartbeats) {
        this.watchers.delete(watcher)
        watcher.socket.terminate()
        continue
      }
      if (nowMs - watcher.lastPingMs >= LIVE_BOUNDS.heartbeatMs) {
        watcher.lastPingMs = nowMs
        this.deliver(watcher, PING)
      }
      if (nowMs - watcher.lastCheckMs >= LIVE_BOUNDS.recheckMs && !watcher.checking) void this.recheck(watcher)
    }
  }

  /** Ends every socket with 1001; later ones are refused. */
  drain(): void {
    this.draining = true
    for (const watcher of this.watchers) this.end(watcher, LIVE_CLOSE.shutdown, 'The control plane is restarting.')
  }

  override tick(environment: string, at: Date, rows: readonly LiveRow[]): void {
    const texts = new Map<string | null, Buffer>()
    for (const watcher of this.watchers) {
      if (watcher.environment !== environment || this.isSlow(watcher)) continue
      let text = texts.get(watcher.service)
      if (text === undefined) {
        text = encode({ type: 'tick', at: at.toISOString(), rows: rowsFor(watcher.service, rows) })
        texts.set(watcher.service, text)
      }
      watcher.socket.send(text)
    }
  }

  override alert(environment: string, alert: Alert): void {
    this.tell(environment, encode({ type: 'alert', alert }))
  }

  override published(environment: string, notice: PublishedNotice): void {
    this.tell(environment, encode({ type: 'published', ...notice }))
  }

  override agents(environment: string, service: string, agents: readonly Agent[]): void {
    if (!this.watched(environment, service)) return
    const text = encode({ type: 'agents', service, agents: [...agents] })
    for (const watcher of this.watchers)
      if (watcher.environment === environment && watcher.service === service && !this.isSlow(watcher))
        watcher.socket.send(text)
  }

  override watched(environment: string, service?: string): boolean {
    for (const watcher of this.watchers)
      if (watcher.environment === environment && (service === undefined || watcher.service === service)) return true
    return false
  }

  private receive(watcher: Watcher, text: string | null): void {
    if (!this.watchers.has(watcher)) return
    const nowMs = this.clock.monotonicMs()
    watcher.lastHeardMs = nowMs
    if (!watcher.rate.take(nowMs)) {
      this.end(watcher, LIVE_CLOSE.tooMany, 'Too many messages.')
      return
    }
    const request = liveRequestSchema.safeParse(text === null ? null : parse(text))
    if (!request.success) {
      this.end(watcher, LIVE_CLOSE.protocol, 'The message is not understood.')
      return
    }
    if (request.data.type !== 'watch') return
    watcher.environment = request.data.environment
    watcher.service = request.data.service
  }

  private async recheck(watcher: Watcher): Promise<void> {
    watcher.checking = true
    watcher.lastCheckMs = this.clock.monotonicMs()
    const allowed = await watcher.visitor.stillAllowed().catch(() => true)
    watcher.checking = false
    if (!allowed) this.end(watcher, LIVE_CLOSE.unauthenticated, 'Signed out.')
  }

  private refusal(visitor: LiveVisitor): { code: number; reason: string } | null {
    if (this.draining) return { code: LIVE_CLOSE.shutdown, reason: 'The control plane is restarting.' }
    if (this.watchers.size >= this.bounds.sockets) return { code: LIVE_CLOSE.tooMany, reason: 'Too many dashboards.' }
    let own = 0
    for (const watcher of this.watchers) if (watcher.visitor.identity === visitor.identity) own += 1
    if (own < this.bounds.socketsPerIdentity) return null
    return { code: LIVE_CLOSE.tooMany, reason: 'Too many windows of one operator.' }
  }

  private tell(environment: string, text: Frame): void {
    for (const watcher of this.watchers) if (watcher.environment === environment) this.deliver(watcher, text)
  }

  /** For what must not be left out silently: a socket too slow for it is closed, and reads everything anew. */
  private deliver(watcher: Watcher, text: Frame): void {
    if (watcher.socket.bufferedBytes <= LIVE_BOUNDS.tooSlowBytes) {
      watcher.socket.send(text)
      return
    }
    this.watchers.delete(watcher)
    watcher.socket.terminate()
  }

  private isSlow(watcher: Watcher): boolean {
    return watcher.socket.bufferedBytes > LIVE_BOUNDS.slowBytes
  }

  private end(watcher: Watcher, code: number, reason: string): void {
    if (this.watchers.delete(watcher)) watcher.socket.close(code, reason)
  }
}

const parse = (text: string): unknown => {
  if (Buffer.byteLength(text) > LIVE.maxMessageBytes) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `by` only for those who watch one service: an overview of many services stays small. */
const rowsFor = (service: string | null, rows: readonly LiveRow[]): LiveRow[] => {
  if (service !== null) return rows.filter((row) => row.service === service)
  return rows.map(({ kind, service: name, name: item, edge, figures }) => ({
    kind,
    service: name,
    name: item,
    edge,
    figures,
  }))
}
