import { Agent, type Dispatcher } from 'undici'
import type { Kind, Outcome } from './plan.ts'

/** A connection for each that is under way: arrivals do not queue in the generator. */
const agent = new Agent({ pipelining: 1, keepAliveTimeout: 60_000, connections: null })

export interface Sent {
  /** The caller leaves: the connection is cut, as a caller whose patience ended does. */
  leave(): void
}
export type Ended = (outcome: Outcome, reason?: string) => void

const outcomeOf = (status: number, typed: boolean): Outcome => {
  if (status < 300) return 'ok'
  if (status !== 429 && status !== 503) return 'failed'
  return typed ? 'refused' : 'untyped'
}

class Exchange implements Dispatcher.DispatchHandler, Sent {
  readonly #ended: Ended
  #controller: Dispatcher.DispatchController | null = null
  #over = false
  #outcome: Outcome = 'failed'
  #reason: string | undefined

  constructor(ended: Ended) {
    this.#ended = ended
  }

  leave(): void {
    this.#over = true
    this.#controller?.abort(LEFT)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#over) controller.abort(LEFT)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    this.#outcome = outcomeOf(status, headers['weir-signal'] !== undefined)
    this.#reason = headers['weir-reason']?.toString()
  }

  onResponseData(): void {}

  onResponseEnd(): void {
    this.#end(this.#outcome, this.#reason)
  }

  onResponseError(): void {
    this.#end('failed')
  }

  #end(outcome: Outcome, reason?: string): void {
    if (this.#over) return
    this.#over = true
    this.#ended(outcome, reason)
  }
}

const LEFT = new Error('The caller left.')

/** Sends one request; `ended` is called once, unless the caller left. */
export const send = (
  origin: string,
  { method, path, headers }: Kind,
  more: Readonly<Record<string, string>>,
  ended: Ended,
): Sent => {
  const exchange = new Exchange(ended)
  agent.dispatch({ origin, method, path, headers: { ...headers, ...more } }, exchange)
  return exchange
}
