import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Weir } from '../../weir.ts'
import { weirHttp } from '../http.ts'
import { weirFetch } from '../undici.ts'

export const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export interface StackOptions {
  readonly layers?: number
  /** The `next` dependency of every layer, as authored. */
  readonly policy?: Readonly<Record<string, unknown>>
  /** Whether a layer believes the one above, and tells it what it retried. */
  readonly trust?: boolean
  /** What a layer does before it calls the next, milliseconds. */
  readonly workMs?: number
}

/** Services on sockets of their own, each an agent with a policy of its own, each calling the next; under them a bottom that a test plays. */
export class Stack {
  readonly #ends: (() => Promise<unknown> | unknown)[] = []
  readonly agents: Weir[] = []
  /** Of the topmost service. */
  url = ''

  static async start(
    bottom: (request: IncomingMessage, response: ServerResponse) => void,
    { layers = 3, policy = {}, trust = true, workMs = 0 }: StackOptions = {},
  ): Promise<Stack> {
    const stack = new Stack()
    const folder = await mkdtemp(join(tmpdir(), 'weir-stack-'))
    const bootstrapFile = join(folder, 'policy.yaml')
    const next = {
      internal: true,
      retry: { maxAttempts: 3, initialMs: 1, maxMs: 5 },
      breaker: { mode: 'forced-closed' },
      ...policy,
    }
    await writeFile(bootstrapFile, JSON.stringify({ dependencies: { next } }))
    stack.#ends.push(() => rm(folder, { recursive: true, force: true }))
    stack.url = await stack.#serve(createServer(bottom))
    for (let i = 0; i < layers; i++) {
      const weir = await Weir.start({ bootstrapFile, snapshotDir: false, telemetry: 'off' })
      stack.agents.push(weir)
      stack.#ends.push(() => weir.close())
      stack.url = await stack.#serve(createServer(layer(weir, stack.url, trust, workMs)))
    }
    return stack
  }

  async #serve(server: Server): Promise<string> {
    this.#ends.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return listening(server)
  }

  /** Calls in flight in all layers. */
  get inFlight(): number {
    return this.agents.flatMap((weir) => weir.status().dependencies).reduce((sum, { inFlight }) => sum + inFlight, 0)
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end()
  }
}

const layer = (weir: Weir, below: string, trust: boolean, workMs: number) => {
  const call = weirFetch(weir, 'next')
  return weirHttp(weir, { gate: 'in', trust: () => trust }, async (_request, response) => {
    if (workMs > 0) await new Promise((resolve) => setTimeout(resolve, workMs))
    try {
      const answer = await call(below)
      await answer.text()
      response.writeHead(answer.ok ? 200 : 502).end()
    } catch {
      response.writeHead(502).end()
    }
  })
}

/** A service that tries three times, as they do without a contract. */
export const naiveLayer = (below: string): Server =>
  createServer((_request, response) => {
    const attempt = async (left: number): Promise<number> => {
      const answer = await fetch(below)
      await answer.text()
      return answer.ok || left === 1 ? answer.status : attempt(left - 1)
    }
    void attempt(3).then((status) => response.writeHead(status < 400 ? 200 : 502).end())
  })
