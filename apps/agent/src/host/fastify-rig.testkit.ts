import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TenantsPolicy } from '@weir/policy/model'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Sampler } from '../core/sampling.ts'
import { type WeirFastifyOptions, weirFastify } from './fastify.ts'
import { GateRig } from './gate-rig.testkit.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A real Fastify on a real port in front of a real gate. */
export class FastifyRig extends GateRig {
  readonly app: FastifyInstance = Fastify()
  readonly agent = new Agent({ keepAlive: true, maxSockets: 50 })
  readonly #options: WeirFastifyOptions

  constructor(
    policy: object,
    options: WeirFastifyOptions = {},
    tenants: Partial<TenantsPolicy> = {},
    sampler?: Sampler,
  ) {
    super(policy, tenants, sampler)
    this.#options = options
  }

  async register(): Promise<this> {
    await this.app.register(weirFastify({ gate: () => this.gate }, this.#options))
    return this
  }

  async listen(): Promise<void> {
    await this.app.listen({ port: 0, host: '127.0.0.1' })
  }

  async stop(): Promise<void> {
    this.agent.destroy()
    this.app.server.closeAllConnections()
    await this.app.close()
    this.gate.close()
  }

  get port(): number {
    return (this.app.server.address() as AddressInfo).port
  }

  /** Starts a request and leaves its end to the caller. */
  open(path: string, init: { method?: string; headers?: Record<string, string> } = {}): ClientRequest {
    const client = httpRequest({ port: this.port, host: '127.0.0.1', path, agent: this.agent, ...init })
    client.on('error', () => undefined)
    return client
  }

  send(path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const client = this.open(path, init)
      client.on('error', reject)
      client.on('response', (response) => {
        let body = ''
        response.on('data', (chunk) => {
          body += chunk
        })
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
      })
      client.end(init.body)
    })
  }
}
