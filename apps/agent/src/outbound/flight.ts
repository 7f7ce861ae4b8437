import type { Ticket } from './breaker.ts'
import type { Placement } from './endpoints.ts'
import type { Attempt } from './parts.ts'

/** What an attempt asks its call for. */
export interface FlightSource {
  readonly remainingMs: number
  headers(attempt: number): Readonly<Record<string, string>>
}

/**
 * One attempt while it runs: what the breaker, the endpoints and its own signal know of it. To the work it is the attempt; what the work does not
 * read is not worked out. Each attempt has a signal of its own, or the answer of one would end with the other.
 */
export class Flight implements Attempt {
  readonly attempt: number
  readonly startedAt: number
  readonly ticket: Ticket
  readonly placement: Placement | null
  /** Another attempt has answered in its place: how it ends concerns nobody. */
  dropped = false
  readonly #source: FlightSource
  #controller: AbortController | undefined
  #aborted: { readonly reason: unknown } | undefined

  constructor(source: FlightSource, attempt: number, startedAt: number, ticket: Ticket, placement: Placement | null) {
    this.#source = source
    this.attempt = attempt
    this.startedAt = startedAt
    this.ticket = ticket
    this.placement = placement
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason)
    }
    return this.#controller.signal
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#source.headers(this.attempt)
  }

  get remainingMs(): number {
    return this.#source.remainingMs
  }

  get endpoint(): string | null {
    return this.placement?.endpoint.name ?? null
  }

  abort(reason: unknown): void {
    this.#aborted = { reason }
    this.#controller?.abort(reason)
  }
}
