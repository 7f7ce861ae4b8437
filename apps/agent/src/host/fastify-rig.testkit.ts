import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type GatePolicy, SOLE, type TenantsPolicy, UNLIMITED } from '@weir/policy/model'
import { gateSchema } from '@weir/policy/schema'
import Fastify, { type FastifyInstance } from 'fastify'
import { Gate } from '../admission/gate.ts'
import { realClock, realTimers } from '../core/real.ts'
import { NO_SAMPLES, type Sampler } from '../core/sampling.ts'
import { type WeirFastifyOptions, weirFastify } from './fastify.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Resolves when `test` holds: real sockets have their own pace. */
export const until = async (test: () => boolean): Promise<void> => {
  const end = Date.now() + 20_000
  while (!test()) {
    if (Date.now() > end) throw new Error('What was waited for did not happen.')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

export interface Open {
  readonly promise: Promise<unknown>
  open(value?: unknown): void
}

/** A door that a handler waits at. */
export const door = (): Open => {
  let open: (value?: unknown) => void = () => undefined
  const promise = new Promise((resolve) => {
    open = resolve
  })
  return { promise, open }
}

/** A real Fastify on a real port in front of a real gate. */
export class FastifyRig {
  readonly app: FastifyInstance = Fastify()
  readonly gate: Gate
  readonly agent = new Agent({ keepAlive: true, maxSockets: 50 })
  readonly #options: WeirFastifyOptions
  readonly #counts = new Map<string, number>()

  constructor(
    policy: object,
    options: WeirFastifyOptions = {},
    tenants: Partial<TenantsPolicy> = {},
    sampler: Sampler = NO_SAMPLES,
  ) {
    const parsed = gateSchema.parse(policy)
    this.gate = new Gate({
      name: 'http',
      sampler,
      runtime: { clock: realClock, timers: realTimers, random: Math.random, onError: () => undefined },
      settings: {
        policy: { ...parsed, resource: 'http' } as GatePolicy,
        revision: 7,
        tenants: { unknown: 'allow', default: UNLIMITED, ...tenants },
        quotas: {},
        split: SOLE,
      },
    })
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

  /** Everything counted so far, by the last word of its metric; what is 0 is left out. */
  books(): Record<string, number> {
    this.gate.collect({
      counter: (name, delta) => this.#counts.set(name.slice(10), (this.#counts.get(name.slice(10)) ?? 0) + delta),
      gauge: () => undefined,
      histogram: () => undefined,
    })
    return Object.fromEntries(this.#counts)
  }

  get slots(): { active: number; zombies: number; waiting: number } {
    const { active, zombies, waiting } = this.gate.report()
    return { active, zombies, waiting }
  }
}

export const IDLE = { active: 0, zombies: 0, waiting: 0 }
