import { WIRE } from '@weir/wire/model'
import { backoffMs, MAX_UNAUTHORIZED_MS } from '../core/backoff.ts'
import type { Runtime } from '../core/clock.ts'
import type { FigureSink } from '../core/figures.ts'
import type { HttpClient } from '../core/http.ts'
import { encodeMetrics, type Resource } from './otlp.ts'
import { post } from './post.ts'
import { Ring } from './ring.ts'

export interface ExporterOptions {
  readonly url: string
  /** `null`: the endpoint wants none. */
  readonly key: string | null
  readonly runtime: Runtime
  /** Milliseconds since the epoch. */
  readonly wall: () => number
  readonly http: HttpClient
  readonly resource: () => Resource
  readonly collect: (sink: FigureSink) => void
}

/** The agent's own OTLP/HTTP exporter of exact figures: every count arrives once, also over an outage of ten minutes. */
export class Exporter {
  readonly #o: ExporterOptions
  readonly #ring: Ring
  #intervalMs: number = WIRE.exportMs
  #timer: unknown = null
  #sending: Promise<void> | null = null
  #failures = 0
  #notBeforeMs = 0
  #lastFault = ''
  #closed = false

  constructor(options: ExporterOptions) {
    this.#o = options
    this.#ring = new Ring(options.wall, options.runtime.clock.now())
  }

  /** Begins at a random point of the first interval: a fleet that starts together does not export together. */
  start(): void {
    this.#plan(this.#intervalMs * this.#o.runtime.random())
  }

  setIntervalMs(intervalMs: number): void {
    if (intervalMs === this.#intervalMs || this.#closed) return
    this.#intervalMs = intervalMs
    this.#o.runtime.timers.clear(this.#timer)
    this.#plan(intervalMs * this.#o.runtime.random())
  }

  /** Sends what is left, for at most `withinMs`, then stops for good. The caller keeps the process alive. */
  async close(withinMs: number): Promise<void> {
    this.#closed = true
    const { timers, clock } = this.#o.runtime
    timers.clear(this.#timer)
    this.#gather()
    let expired: unknown
    const bound = new Promise<void>((resolve) => {
      expired = timers.set(resolve, withinMs)
    })
    const deadline = clock.now() + withinMs
    const drain = async () => {
      await this.#sending
      await this.#send(deadline)
    }
    await Promise.race([drain(), bound])
    timers.clear(expired)
  }

  #plan(delayMs: number): void {
    this.#timer = this.#o.runtime.timers.set(() => {
      this.#plan(this.#intervalMs)
      this.#tick()
    }, delayMs)
  }

  #tick(): void {
    this.#gather()
    const now = this.#o.runtime.clock.now()
    if (this.#sending !== null) return
    this.#ring.expire(now)
    if (now < this.#notBeforeMs) return
    this.#sending = this.#send(Infinity)
      .catch((error) => this.#o.runtime.onError(error, 'telemetry'))
      .finally(() => {
        this.#sending = null
      })
  }

  #gather(): void {
    try {
      this.#ring.collect(this.#o.runtime.clock.now(), this.#o.collect)
    } catch (error) {
      this.#o.runtime.onError(error, 'telemetry')
    }
  }

  async #send(deadlineMs: number): Promise<void> {
    const { clock, random } = this.#o.runtime
    while (clock.now() < deadlineMs) {
      const window = this.#ring.head(clock.now())
      if (window === null) return
      const posted = await post(
        this.#o.http,
        this.#o.url,
        this.#o.key,
        encodeMetrics(this.#o.resource(), window),
        this.#o.wall(),
      )
      if (posted.kind === 'again') {
        this.#fault(posted.message)
        const wait = posted.barred
          ? backoffMs(this.#failures++, WIRE.unauthorizedBackoffMs, MAX_UNAUTHORIZED_MS, random)
          : backoffMs(this.#failures++, WIRE.reconnectMinMs, WIRE.reconnectMaxMs, random)
        this.#notBeforeMs = clock.now() + Math.max(posted.waitMs, wait)
        return
      }
      this.#failures = 0
      if (posted.kind === 'lost') {
        this.#ring.refused()
        this.#fault(posted.message)
        continue
      }
      this.#ring.acknowledged()
      if (posted.rejected > 0) this.#fault(`${posted.rejected} points were not taken: ${posted.message}`)
      else this.#lastFault = ''
    }
  }

  /** Each kind of trouble is told once until an export goes through. */
  #fault(message: string): void {
    if (message === this.#lastFault) return
    this.#lastFault = message
    this.#o.runtime.onError(new Error(message), 'telemetry')
  }
}
