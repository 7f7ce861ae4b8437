import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { policyHash } from '@weir/policy/hash'
import { type EvenSplit, type LeaseGrant, type LeaseGranted, RATE_GRAINS, SOLE } from '@weir/policy/model'
import {
  AGENT_PATHS,
  type AgentMessage,
  type Ask,
  type ControlMessage,
  LEASE_HEADER,
  leaseToHeader,
  SCALES_HEADER,
  type Scales,
  type Snapshot,
  SUBPROTOCOL,
  scalesToHeader,
} from '@weir/wire/model'
import { decodeAgentMessage, encode } from '@weir/wire/schema'
import { type WebSocket, WebSocketServer } from 'ws'

export const snapshotOf = (
  revision: number,
  gates: object,
  quotas: object = {},
  databaseId = 'db',
  tenants: object = {},
): Snapshot => {
  const effective = { policy: { version: 1, gates, dependencies: {}, tenants }, quotas }
  return { type: 'snapshot', databaseId, revision, hash: policyHash(effective), effective } as unknown as Snapshot
}

export interface Export {
  readonly body: {
    resourceMetrics: { resource: { attributes: { key: string; value: object }[] }; scopeMetrics: object[] }[]
  }
  readonly authorization: string | undefined
}

export interface ExportedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
}

export interface TraceExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: object }[] }
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[]
  }[]
}

/** A control plane over real sockets whose answers a test sets: the agent's other end, as far as the wire goes. */
export class TestControlPlane {
  readonly messages: AgentMessage[] = []
  readonly exports: Export[] = []
  readonly traces: TraceExport[] = []
  readonly polls: IncomingMessage['headers'][] = []
  readonly sockets: WebSocket[] = []
  readonly upgrades: IncomingMessage['headers'][] = []
  /** Status that refuses the upgrade; 101 accepts. */
  upgradeStatus = 101
  /** Said with a refused upgrade, seconds; `null`: left out. */
  retryAfter: number | null = null
  /** Whether a hello is answered with a welcome and the snapshot. */
  welcomes = true
  heartbeatMs = 5_000
  snapshot: Snapshot = snapshotOf(1, {})
  policyStatus = 200
  /** What a newcomer and a poller are told; `null`: nothing. */
  split: EvenSplit | null = SOLE
  /** What questions for leases are answered with: the whole of each quota in the snapshot. `null`: nothing. */
  grants: ((ask: Ask) => readonly LeaseGranted[]) | null = (ask) => this.wholes(ask)
  /** Of the grants of `wholes`. */
  terms: Partial<LeaseGrant> = {}
  /** Said with the share to a poller; `null`: left out. */
  scales: Scales | null = null
  tracesStatus = 200
  traceAttempts = 0
  onMetrics: (request: IncomingMessage, response: ServerResponse, taken: () => void) => void = (
    _request,
    response,
    taken,
  ) => {
    taken()
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }

  #grantsGiven = 0
  readonly #server: Server
  readonly #wss = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => offered.has(SUBPROTOCOL) && SUBPROTOCOL,
  })
  readonly #connections = new Set<Socket>()
  readonly #waiting: { test: () => boolean; resolve: () => void }[] = []

  private constructor() {
    this.#server = createServer((request, response) => this.#http(request, response))
    this.#server.on('connection', (socket) => {
      this.#connections.add(socket)
      socket.on('close', () => this.#connections.delete(socket))
    })
    this.#server.on('upgrade', (request, socket, head) => {
      this.upgrades.push(request.headers)
      this.#changed()
      if (request.url !== AGENT_PATHS.socket || this.upgradeStatus !== 101)
        socket.end(
          `HTTP/1.1 ${this.upgradeStatus} Refused\r\n${this.retryAfter === null ? '' : `Retry-After: ${this.retryAfter}\r\n`}Content-Length: 0\r\nConnection: close\r\n\r\n`,
        )
      else this.#wss.handleUpgrade(request, socket, head, (ws) => this.#serve(ws))
    })
  }

  static async start(port = 0): Promise<TestControlPlane> {
    const plane = new TestControlPlane()
    await new Promise<void>((resolve) => plane.#server.listen(port, '127.0.0.1', resolve))
    return plane
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get live(): WebSocket[] {
    return this.sockets.filter((socket) => socket.readyState === socket.OPEN)
  }

  of<T extends AgentMessage['type']>(type: T): Extract<AgentMessage, { type: T }>[] {
    return this.messages.filter((message): message is Extract<AgentMessage, { type: T }> => message.type === type)
  }

  broadcast(message: ControlMessage): void {
    for (const socket of this.live) socket.send(encode(message))
  }

  /** Each quota to whoever asks, for twenty seconds. */
  wholes({ asked }: Ask): LeaseGranted[] {
    const quotas = this.snapshot.effective.quotas
    return asked.flatMap(({ resource, tenant, kind }) => {
      const { rate = null, concurrency = null } = quotas[resource]?.[tenant] ?? {}
      const quota = kind === 'slots' ? concurrency : rate === null ? null : rate * RATE_GRAINS
      if (quota === null) return []
      const [id, lengthMs, waitMs, deadMs] = [++this.#grantsGiven, 20_000, 45_000, 600_000]
      const whole = { epoch: 'test', id, quota, units: quota, safe: 0, lengthMs, waitMs, deadMs, refreshMs: 2_000 }
      return [{ resource, tenant, kind, grant: { ...whole, ...this.terms } }]
    })
  }

  /** Resolves when `test` holds; it is looked at whenever anything arrives. */
  until(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ test, resolve }))
  }

  async stop(): Promise<void> {
    for (const socket of this.#connections) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #changed(): void {
    for (const waiting of [...this.#waiting]) {
      if (!waiting.test()) continue
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      waiting.resolve()
    }
  }

  #serve(ws: WebSocket): void {
    this.sockets.push(ws)
    ws.on('error', () => undefined)
    ws.on('close', () => this.#changed())
    ws.on('message', (data) => {
      const decoded = decodeAgentMessage(data.toString())
      if (!decoded.ok)
        throw new Error(`The agent sent what the wire does not allow: ${JSON.stringify(decoded.problems)}`)
      this.messages.push(decoded.message)
      if (decoded.message.type === 'hello' && this.welcomes) {
        const { heartbeatMs } = this
        ws.send(
          encode({
            type: 'welcome',
            databaseId: 'db',
            environment: 'test',
            service: 'orders',
            heartbeatMs,
            reportMs: 1_000,
            exportMs: 1_000,
          }),
        )
        if (this.split !== null) ws.send(encode({ type: 'lease', allocator: 'even', ...this.split }))
        ws.send(encode(this.snapshot))
      }
      if (decoded.message.type === 'ask' && this.grants !== null)
        ws.send(encode({ type: 'grants', n: decoded.message.n, granted: this.grants(decoded.message) }))
      this.#changed()
    })
  }

  #http(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === AGENT_PATHS.policy) {
      this.polls.push(request.headers)
      const { databaseId, revision, hash, effective } = this.snapshot
      const etag = `"${hash}"`
      const status = this.policyStatus === 200 && request.headers['if-none-match'] === etag ? 304 : this.policyStatus
      const scales = this.scales === null ? {} : { [SCALES_HEADER]: scalesToHeader(this.scales) }
      const lease = this.split === null ? {} : { [LEASE_HEADER]: leaseToHeader(this.split), ...scales }
      response.writeHead(status, { etag, 'content-type': 'application/json', ...lease })
      response.end(status === 200 ? JSON.stringify({ databaseId, revision, hash, effective }) : '')
      this.#changed()
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
      if (request.url === AGENT_PATHS.leases) {
        const asked = decodeAgentMessage(text)
        if (!asked.ok || asked.message.type !== 'ask') throw new Error(`A poller asked what it may not: ${text}`)
        this.messages.push(asked.message)
        const { n } = asked.message
        const grants = this.grants === null ? null : { type: 'grants', n, granted: this.grants(asked.message) }
        response.writeHead(grants === null ? 503 : 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(grants ?? {}))
        this.#changed()
        return
      }
      if (request.url === AGENT_PATHS.traces) {
        this.traceAttempts++
        if (this.tracesStatus === 200) this.traces.push(JSON.parse(text))
        response.writeHead(this.tracesStatus, { 'content-type': 'application/json' }).end('{}')
        this.#changed()
        return
      }
      const taken = () => {
        this.exports.push({ body: JSON.parse(text), authorization: request.headers.authorization })
      }
      this.onMetrics(request, response, taken)
      this.#changed()
    })
  }
}
