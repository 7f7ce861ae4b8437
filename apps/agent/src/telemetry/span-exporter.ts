import { WIRE } from '@weir/wire/model'
import { backoffMs, MAX_UNAUTHORIZED_MS } from '../core/backoff.ts'
import type { Runtime } from '../core/clock.ts'
import type { FigureSink } from '../core/figures.ts'
import type { HttpClient } from '../core/http.ts'
import { encodeSpans, type Resource } from './otlp.ts'
import { post } from './post.ts'
import type { FinishedSpan } from './spans.ts'

export interface SpanExporterOptions {
  readonly url: string
  /** `null`: the endpoint wants none. */
  readonly key: string | null
  readonly runtime: Runtime
  /** Milliseconds since the epoch. */
  readonly wall: () => number
  readonly http: HttpClient
  readonly resource: () => Resource
}

const EXPORT_MS = 5_000
/** Spans that wait to be sent: one and a half minutes of an endpoint that is away. */
const MAX_SPANS = 1_024
const BATCH = 512

/** Sends spans over OTLP/HTTP. A span is a sample: where the endpoint is away for long the oldest are dropped, and counted. */
export class SpanExporter {
  readonly #o: SpanExporterOptions
  #waiting: FinishedSpan[] = []
  #dropped = 0
  #timer: unknown = null
  #sending: Promise<void> | null = null
  #failures = 0
  #notBeforeMs = 0
  #lastFault = ''

  constructor(options: SpanExporterOptions) {
    this.#o = options
  }

  /** Begins at a random point of the first interval: a fleet that starts together does not export together. */
  start(): void {
    this.#plan(EXPORT_MS * this.#o.runtime.random())
  }

  take(span: FinishedSpan): void {
    this.#waiting.push(span)
    this.#trim()
  }

  collect(sink: FigureSink): void {
    if (this.#dropped > 0) sink.counter('weir.telemetry.spans_dropped', this.#dropped, {})
    this.#dropped = 0
  }

  /** Sends what is left, for at most `withinMs`, then stops for good. The caller keeps the process alive. */
  async close(withinMs: number): Promise<void> {
    const { timers, clock } = this.#o.runtime
    timers.clear(this.#timer)
    const deadline = clock.now() + withinMs
    let expired: unknown
    const bound = new Promise<void>((resolve) => {
      expired = timers.set(resolve, withinMs)
    })
    const drain = async () => {
      await this.#sending
      await this.#send(deadline)
    }
    await Promise.race([drain(), bound])
    timers.clear(expired)
  }

  #plan(delayMs: number): void {
    this.#timer = this.#o.runtime.timers.set(() => {
      this.#plan(EXPORT_MS)
      if (this.#sending !== null || this.#o.runtime.clock.now() < this.#notBeforeMs) return
      this.#sending = this.#send(Infinity)
        .catch((error) => this.#o.runtime.onError(error, 'telemetry'))
        .finally(() => {
          this.#sending = null
        })
    }, delayMs)
  }

  async #send(deadlineMs: number): Promise<void> {
    const { clock, random } = this.#o.runtime
    const { http, url, key, resource, wall } = this.#o
    while (this.#waiting.length > 0 && clock.now() < deadlineMs) {
      const batch = this.#waiting.splice(0, BATCH)
      const posted = await post(http, url, key, encodeSpans(resource(), batch), wall())
      if (posted.kind === 'again') {
        this.#waiting.unshift(...batch)
        this.#trim()
        this.#fault(posted.message)
        const wait = posted.barred
          ? backoffMs(this.#failures++, WIRE.unauthorizedBackoffMs, MAX_UNAUTHORIZED_MS, random)
          : backoffMs(this.#failures++, WIRE.reconnectMinMs, WIRE.reconnectMaxMs, random)
        this.#notBeforeMs = clock.now() + Math.max(posted.waitMs, wait)
        return
      }
      this.#failures = 0
      if (posted.kind === 'lost') {
        this.#dropped += batch.length
        this.#fault(posted.message)
      } else if (posted.rejected > 0) this.#fault(`${posted.rejected} spans were not taken: ${posted.message}`)
      else this.#lastFault = ''
    }
  }

  #trim(): void {
    const surplus = this.#waiting.length - MAX_SPANS
    if (surplus <= 0) return
    this.#waiting.splice(0, surplus)
    this.#dropped += surplus
  }

  /** Each kind of trouble is told once until an export goes through. */
  #fault(message: string): void {
    if (message === this.#lastFault) return
    this.#lastFault = message
    this.#o.runtime.onError(new Error(message), 'telemetry')
  }
}
