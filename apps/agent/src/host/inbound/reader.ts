import { CRITICALITIES, type Criticality } from '@weir/policy/model'
import type { Work } from '../../admission/work.ts'
import { type Headers, type Inbound, NOTHING_SAID, readInbound, readSealed } from './context.ts'
import type { GateHost, InboundOptions } from './options.ts'

/** What the transport knows of one request. */
export interface Arrival {
  readonly headers: Headers
  /** W3C trace context, whoever says it. */
  readonly traceparent: string | undefined
  /** As declared; for warnings. */
  readonly route: string | undefined
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  /** The transport's own deadline, which holds for everybody: remaining milliseconds. */
  readonly deadlineMs?: number | undefined
}

export interface Told {
  readonly work: Work
  /** Whether the caller is one of the host's own. */
  readonly trusted: boolean
}

const lower = (a: Criticality | undefined, b: Criticality | undefined): Criticality | undefined => {
  if (a === undefined || b === undefined) return a ?? b
  return CRITICALITIES.indexOf(a) > CRITICALITIES.indexOf(b) ? a : b
}

const sooner = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

/** Asks the host's options about a request, and believes its headers as far as they say. The gate clamps what comes out. */
export class Reader<R> {
  readonly #options: InboundOptions<R>

  readonly #weir: Pick<GateHost, 'sealedBy'>

  constructor(options: InboundOptions<R>, weir: Pick<GateHost, 'sealedBy'>) {
    this.#options = options
    this.#weir = weir
  }

  gateOf(request: R, otherwise: string): string {
    const { gate } = this.#options
    return (typeof gate === 'function' ? this.#ask(request, gate) : gate) ?? otherwise
  }

  read(request: R, arrival: Arrival): Told {
    const { trust, tenant, criticality } = this.#options
    const peer = this.#ask(request, trust)
    const named = typeof peer === 'string' && peer !== '' ? peer : undefined
    const authenticated = peer === true || named !== undefined
    const sealedBy = authenticated ? null : (this.#weir.sealedBy?.(arrival.headers) ?? null)
    const caller = named ?? (sealedBy || undefined)
    const said = this.#said(authenticated, sealedBy, arrival.headers)
    return {
      trusted: authenticated || sealedBy !== null,
      work: {
        tenant: this.#ask(request, tenant) ?? said.tenant,
        criticality: lower(this.#ask(request, criticality), said.criticality),
        deadlineMs: sooner(said.deadlineMs, arrival.deadlineMs),
        attempt: said.attempt,
        caller,
        route: arrival.route,
        traceparent: arrival.traceparent,
        signal: arrival.signal,
      },
    }
  }

  #said(authenticated: boolean, sealedBy: string | null, headers: Headers): Inbound {
    if (authenticated) return readInbound(headers)
    return sealedBy === null ? NOTHING_SAID : readSealed(headers)
  }

  #ask<T>(request: R, question: ((request: R) => T) | undefined): T | undefined {
    try {
      return question?.(request)
    } catch (error) {
      this.#complain(error, request)
      return undefined
    }
  }

  #complain(error: unknown, request: R): void {
    try {
      this.#options.onError?.(error, request)
    } catch {
      // The sink itself is the host's.
    }
  }
}
