import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Admission, SocketEndpoint } from './endpoint.ts'
import { type LineBounds, type Upgrade, UpgradeLine } from './upgrade-line.ts'
import { textSocket, wire } from './ws-socket.ts'

/** Upgrades that are being checked at once; each waits for the database at most. More are told to come back. */
const MOST_PENDING = 1_000
/** Half of the time after which an agent gives a handshake up. As many as there may be sockets. */
const LINE: LineBounds = { perTurn: 16, waiting: 20_000, waitMs: 5_000 }
/** Whoever is told to come back does so within these, seconds, and not all at once. */
const RETRY_SECONDS = { least: 1, most: 5 }
/** A peer that does not answer a close is cut off after this. */
const CLOSE_TIMEOUT_MS = 2_000

type Refused = Extract<Admission, { ok: false }>
const refusal = (status: Refused['status'], detail: string): Refused => ({ ok: false, status, detail })
const TOO_MANY = refusal(503, 'Too many connect at once.')

/** The one listener for upgrades of the server. Who may not come in gets an HTTP answer; there is no socket for them. */
export class UpgradeRouter {
  private readonly sockets = new Set<WebSocket>()
  private readonly servers = new Map<SocketEndpoint, WebSocketServer>()
  private readonly byPath: ReadonlyMap<string, SocketEndpoint>
  private readonly line = new UpgradeLine(
    (upgrade) => void this.take(upgrade),
    ({ socket }) => answer(socket, TOO_MANY),
    LINE,
    () => performance.now(),
  )
  private pending = 0
  private ending = false

  constructor(
    endpoints: readonly SocketEndpoint[],
    private readonly onFault: (error: unknown) => void,
  ) {
    this.byPath = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]))
    for (const endpoint of endpoints) {
      const options = {
        noServer: true,
        maxPayload: endpoint.maxMessageBytes,
        perMessageDeflate: false,
        clientTracking: false,
        closeTimeout: CLOSE_TIMEOUT_MS,
        handleProtocols: (offered: Set<string>) => (offered.has(endpoint.subprotocol) ? endpoint.subprotocol : false),
      } as const
      this.servers.set(endpoint, new WebSocketServer(options))
    }
  }

  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      if (!this.line.join({ request, socket, head })) answer(socket, TOO_MANY)
    })
  }

  /** No newcomers from now on. */
  stop(): void {
    this.ending = true
  }

  /** Resolves when every socket is gone; those that do not answer their close are cut off. */
  async ended(withinMs = CLOSE_TIMEOUT_MS): Promise<void> {
    const open = [...this.sockets]
    if (open.length === 0) return
    const gone = Promise.all(open.map((socket) => new Promise((resolve) => socket.once('close', resolve))))
    const cut = setTimeout(() => {
      for (const socket of this.sockets) socket.terminate()
    }, withinMs)
    await gone
    clearTimeout(cut)
  }

  private async take({ request, socket, head }: Upgrade): Promise<void> {
    const endpoint = this.byPath.get(pathOf(request))
    const early = endpoint === undefined ? refusal(404, 'There is no socket here.') : this.early(endpoint, request)
    if (endpoint === undefined || early !== null) {
      answer(socket, early ?? refusal(404, 'There is no socket here.'))
      return
    }
    this.pending += 1
    const admission = await endpoint.admit(request).catch((error: unknown) => {
      this.onFault(error)
      return refusal(503, 'This cannot be checked now.')
    })
    this.pending -= 1
    if (!admission.ok) answer(socket, admission)
    else if (this.ending) answer(socket, refusal(503, 'The control plane is restarting.'))
    else if (!socket.destroyed) this.accept(endpoint, admission, request, socket, head)
  }

  private early(endpoint: SocketEndpoint, request: IncomingMessage): Refused | null {
    if (this.ending) return refusal(503, 'The control plane is restarting.')
    if (this.pending >= MOST_PENDING) return TOO_MANY
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
    if (offered.includes(endpoint.subprotocol)) return null
    return refusal(400, `The sub-protocol ${endpoint.subprotocol} is spoken here.`)
  }

  private accept(
    endpoint: SocketEndpoint,
    admission: Extract<Admission, { ok: true }>,
    request: IncomingMessage,
    raw: Duplex,
    head: Buffer,
  ): void {
    this.servers.get(endpoint)?.handleUpgrade(request, raw, head, (socket) => {
      this.sockets.add(socket)
      socket.once('close', () => this.sockets.delete(socket))
      wire(socket, admission.accept(textSocket(socket, raw)), this.onFault)
    })
  }
}

const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?', 1)[0] ?? ''

const retrySeconds = (): number =>
  RETRY_SECONDS.least + Math.floor(Math.random() * (RETRY_SECONDS.most - RETRY_SECONDS.least + 1))

/** An HTTP answer in place of a socket. */
const answer = (socket: Duplex, { status, detail }: Refused): void => {
  if (socket.destroyed) return
  const title = STATUS_CODES[status] ?? ''
  const body = JSON.stringify({ type: 'about:blank', title, status, detail })
  const headers = [
    `HTTP/1.1 ${status} ${title}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 401 ? ['WWW-Authenticate: Bearer'] : []),
    ...(status === 503 ? [`Retry-After: ${retrySeconds()}`] : []),
  ]
  // The HTTP server has let go of the socket: a peer that keeps its own end open would hold it for ever.
  socket.once('finish', () => socket.destroy())
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
}
