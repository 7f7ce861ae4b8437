import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { realClock, realTimers } from '../core/real.ts'
import { Dependency } from '../outbound/dependency.ts'
import { Figures, type PolicyChange, policyWith } from '../outbound/rig.testkit.ts'

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Serve = (response: ServerResponse, seen: Seen, n: number) => void

/** A dependency on real time in front of a real HTTP server on a free port. */
export class ClientRig {
  readonly dependency: Dependency
  readonly seen: Seen[] = []
  readonly server: Server
  /** Connections that are open now, and ever. */
  sockets = 0
  connections = 0
  #serve: Serve = (response) => response.end('ok')

  constructor(change: PolicyChange = {}) {
    const runtime = { clock: realClock, timers: realTimers, random: Math.random, onError: () => undefined }
    this.dependency = new Dependency('payments', runtime)
    this.apply(change)
    this.server = createServer((request, response) => void this.#answer(request, response))
    this.server.on('connection', (socket) => {
      this.sockets++
      this.connections++
      socket.on('close', () => this.sockets--)
    })
  }

  apply(change: PolicyChange): void {
    const policy = policyWith({
      budget: { kind: 'ratio', share: 1, floorPerSecond: 1_000, windowMs: 10_000 },
      timeoutMs: 5_000,
      ...change,
      breaker: { mode: 'forced-closed', ...change.breaker },
      retry: { maxAttempts: 3, initialMs: 1, maxMs: 5, ...change.retry },
    })
    if (this.dependency.apply({ policy, revision: 1 }).length > 0) throw new Error('policy')
  }

  /** What the server does with request `n`, from 1. */
  serve(serve: Serve): void {
    this.#serve = serve
  }

  /** The agent, as far as a host needs it. */
  readonly weir = { dependency: () => this.dependency }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  get figures(): Record<string, number> {
    const figures = new Figures()
    this.dependency.collect(figures)
    return figures.counters
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return this
  }

  async stop(): Promise<void> {
    this.dependency.close()
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const seen = { method, url, headers, body: Buffer.concat(chunks).toString() }
    this.seen.push(seen)
    this.#serve(response, seen, this.seen.length)
  }
}

/** Refuses the first `n` requests, then answers. */
export const refusingFirst =
  (count: number, status = 503, headers: Record<string, string> = {}, body = 'refused'): Serve =>
  (response, _seen, n) => {
    if (n <= count) response.writeHead(status, headers).end(body)
    else response.end('ok')
  }
