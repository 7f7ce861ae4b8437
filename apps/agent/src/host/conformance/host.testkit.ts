import type { Gate } from '../../admission/gate.ts'
import { Seal } from '../../seal.ts'
import type { GateHost, InboundOptions } from '../inbound/options.ts'
import type { Script } from './script.testkit.ts'

/** What can be asked of every host. */
export type Endpoint = 'work' | 'echo' | 'throws' | 'stream' | 'cut' | 'health' | 'quiet' | 'nested' | 'retried'

/** How an endpoint is called over HTTP. */
export const PATHS: Readonly<Record<Endpoint, string>> = {
  work: '/work',
  echo: '/echo',
  throws: '/throws',
  stream: '/stream',
  cut: '/cut',
  health: '/healthz',
  quiet: '/quiet',
  nested: '/nested',
  retried: '/retried',
}

export interface Answer {
  readonly kind: 'answer' | 'refusal' | 'error'
  readonly body: string
  readonly reason: string | undefined
  readonly signal: string | undefined
  /** What HTTP and gRPC alike say of the whole service being short, and of the caller's own share. */
  readonly fault: 'service' | 'caller' | null
  /** Milliseconds, as far as the transport can say; `null`: never. */
  readonly waitMs: number | null
  readonly headers: Readonly<Record<string, string | undefined>>
}

export interface Call {
  readonly answer: Promise<Answer>
  /** The caller goes away. */
  leave(): void
}

export interface Init {
  readonly context?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Client {
  call(endpoint: Endpoint, init?: Init): Call
  /** Begins a body of 1 MB, and resolves with the answer that comes before its end. */
  slowUpload(): Promise<Answer>
  /** Begins a body and goes on when asked. */
  halfBody(): { leave(): void }
  /** A body that is none. */
  brokenBody(): Promise<unknown>
  close(): void
}

export type Options = Omit<InboundOptions<unknown>, 'exempt'>

export interface Served {
  readonly port: number
  stop(): Promise<unknown>
}

export interface HostKind {
  readonly name: string
  readonly transport: 'http' | 'grpc'
  /** Starts a service on a free port, with its health route exempt. */
  serve(gate: Gate, options: Options, script: Script): Promise<Served>
}

/** The key of the environment that every host of the suite is in; `orders` is a service there. */
export const SEAL = new Seal(['the key of the environment of the suite'.replaceAll(' ', '-')], () => 'orders')

export const weirOf = (gate: Gate): GateHost => ({ gate: () => gate, sealedBy: (headers) => SEAL.by(headers) })
