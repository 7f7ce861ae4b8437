import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A way to a server that can be cut: what is connected breaks, what comes after is refused. Or it falls silent, as a network does that swallows what passes:
 * nobody is told.
 */
export class CuttableWay {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #cut = false
  #silent = false

  private constructor(host: string, port: number) {
    this.#server = createServer((near) => {
      if (this.#cut) {
        near.destroy()
        return
      }
      const far = connect(port, host)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from)
        from.on('error', () => undefined)
        from.on('close', () => {
          this.#sockets.delete(from)
          to.destroy()
        })
        if (this.#silent) from.resume()
        else from.pipe(to)
      }
    })
  }

  static async to(host: string, port: number): Promise<CuttableWay> {
    const way = new CuttableWay(host, port)
    way.#server.listen(0, '127.0.0.1')
    await once(way.#server, 'listening')
    return way
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  cut(): void {
    this.#cut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  /** What is connected stays silent for good. */
  silence(): void {
    this.#silent = true
    for (const socket of this.#sockets) socket.unpipe().resume()
  }

  restore(): void {
    this.#cut = false
    this.#silent = false
  }

  close(): void {
    this.cut()
    this.#server.close()
  }
}
