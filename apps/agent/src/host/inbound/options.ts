import type { Criticality } from '@weir/policy/model'
import type { GateReport } from '@weir/wire/model'
import type { DeferJob, Deferred, MakeJob } from '../../admission/deferral.ts'
import type { Entry, Permit, Work } from '../../admission/work.ts'
import type { Headers } from './context.ts'

/** The part of `Weir` that an inbound host uses. */
export interface GateHost {
  gate(name: string): InboundGate
  /** The service of the own environment by whose key the context headers are sealed, perhaps unnamed; `null`: none. */
  sealedBy?(headers: Headers): string | null
}

export interface InboundGate {
  acquire(work: Work): Entry | Promise<Entry>
  acquireOrDefer(work: Work, job: DeferJob | MakeJob): Promise<Entry | Deferred>
  within<T>(work: Work, permit: Permit, fn: () => T): T
  report(): GateReport
}

/** What is kept of a request that is done later. Its id, where it has none, is made for it. */
export interface DeferredRequest extends DeferJob {
  /** Where the caller may ask what became of it: the answer's `Location`. */
  readonly location?: string | undefined
}

/** What every inbound host is told; `R` is its request. A function that throws counts as one that said nothing. */
export interface InboundOptions<R> {
  /** The gate of a request: a name, or by request. Default `http` (gRPC: `grpc`). Streams and upgrades want one of their own. */
  readonly gate?: string | ((request: R) => string)
  /** Health probes, by the route as it was declared. They pass the gate by, at most 16 at once. Default: none. */
  readonly exempt?: readonly string[]
  /**
   * Whether the host has authenticated the caller as one of its own: only then, or where they bear the proof of the `contextKey`, are its context headers believed. The name of the peer service says more
   * than `true`: a named caller may claim classes above the policy's `highest`. Default: nobody.
   */
  readonly trust?: (request: R) => boolean | string
  /** Whom the work is for, where the host knows. Goes before a trusted header. */
  readonly tenant?: (request: R) => string | undefined
  /** How much it matters, where the host knows. The lower of this and a trusted header holds; the policy caps both. */
  readonly criticality?: (request: R) => Criticality | undefined
  /**
   * What is kept of a request that there is no room for, where the gate's `deferTo` says who keeps it: its caller is answered 202 with the job's id, once that
   * is durable. Asked only then, so that the body is not read before; `body` reads it, as it came. Nothing: this request is refused as ever. Not for gRPC.
   */
  readonly defer?: (
    request: R,
    body: () => Promise<Uint8Array>,
  ) => DeferredRequest | null | undefined | Promise<DeferredRequest | null | undefined>
  /** The longest body that is kept, bytes; a request with more is refused as ever. Default 65,536, at most 16 MiB. */
  readonly deferBytes?: number
  /** Told when a function among these threw. Default: silent (Fastify: the request's log). */
  readonly onError?: (error: unknown, request: R) => void
}

/** What a route says of itself. */
export interface RouteSays {
  readonly gate?: string
  readonly exempt?: boolean
}

/** The permit of a request, as its handler sees it. */
export interface RequestWeir {
  readonly entry: Permit
  /** Whether the cheaper variant is asked for. */
  readonly degraded: boolean
  /** Until the caller stops waiting, milliseconds, at least 0. */
  readonly remainingMs: number
  /** Runs `fn` as part of this work, where a callback has lost its asynchronous context. */
  within<T>(fn: () => T): T
}
