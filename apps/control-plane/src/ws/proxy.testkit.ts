import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Passed {
  readonly path: string
  readonly status: number
  readonly sent: Buffer
  readonly answer: string
}

/** A proxy that passes HTTP but no upgrade, and keeps what it passed. */
export class HttpOnlyProxy {
  readonly passed: Passed[] = []
  readonly #target: string
  readonly #server = createServer((inbound, outbound) => {
    const sent: Buffer[] = []
    const headers = { method: inbound.method, headers: inbound.headers }
    const onwards = request(`${this.#target}${inbound.url}`, headers, (answer) => {
      const body: Buffer[] = []
      answer.on('data', (chunk: Buffer) => body.push(chunk))
      answer.on('end', () => {
        const status = answer.statusCode ?? 502
        this.passed.push({
          path: inbound.url ?? '',
          status,
          sent: Buffer.concat(sent),
          answer: Buffer.concat(body).toString(),
        })
        outbound.writeHead(status, answer.headers).end(Buffer.concat(body))
      })
    })
    onwards.on('error', () => outbound.destroy())
    inbound.on('data', (chunk: Buffer) => sent.push(chunk))
    inbound.pipe(onwards)
  })

  private constructor(target: string) {
    this.#target = target
  }

  static async before(target: string): Promise<HttpOnlyProxy> {
    const proxy = new HttpOnlyProxy(target)
    proxy.#server.on('upgrade', (_request, socket) =>
      socket.end('HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n'),
    )
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
