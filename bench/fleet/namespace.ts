import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] })

/** A network namespace with one wire to this machine, which can be cut. Only root may make one. */
export class Namespace {
  readonly host: string
  readonly outside: string
  readonly #name: string
  readonly #wire: string
  readonly #servers: Server[] = []

  private constructor(id: number) {
    this.#name = `weir-${process.pid}`
    this.#wire = `weir${process.pid}`
    this.outside = `10.213.${id}.1`
    this.host = `10.213.${id}.2`
  }

  static get allowed(): boolean {
    return process.platform === 'linux' && process.getuid?.() === 0
  }

  static open(): Namespace {
    const made = new Namespace(process.pid % 250)
    const [name, wire] = [made.#name, made.#wire]
    ip('netns', 'add', name)
    ip('link', 'add', wire, 'type', 'veth', 'peer', 'name', `${wire}p`, 'netns', name)
    ip('addr', 'add', `${made.outside}/30`, 'dev', wire)
    ip('link', 'set', wire, 'up')
    for (const [device, ...address] of [[`${wire}p`, `${made.host}/30`], ['lo']]) {
      for (const each of address) ip('-n', name, 'addr', 'add', each, 'dev', device as string)
      ip('-n', name, 'link', 'set', device as string, 'up')
    }
    return made
  }

  /** What a command begins with that is to run inside. */
  get within(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#name]
  }

  /** Lets those inside reach a port of this machine's loopback, at `outside` and the returned port. */
  async lend(port: number): Promise<number> {
    const server = createServer((inside) => {
      const there = connect(port, '127.0.0.1')
      inside.pipe(there).pipe(inside)
      for (const [one, other] of [
        [inside, there],
        [there, inside],
      ] as const)
        one.on('error', () => other.destroy()).on('close', () => other.destroy())
    }).listen(0, this.outside)
    await once(server, 'listening')
    this.#servers.push(server)
    return (server.address() as { port: number }).port
  }

  cut(): void {
    ip('link', 'set', this.#wire, 'down')
  }

  mend(): void {
    ip('link', 'set', this.#wire, 'up')
  }

  close(): void {
    for (const server of this.#servers) server.close()
    ip('link', 'del', this.#wire)
    ip('netns', 'del', this.#name)
  }
}
