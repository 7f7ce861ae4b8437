import type { EvenSplit } from '@weir/policy/model'
import {
  AGENT_PATHS,
  type Ask,
  type Grants,
  INSTANCE_HEADER,
  LEASE_HEADER,
  leaseFromHeader,
  SCALES_HEADER,
  type Scales,
  type Snapshot,
  scalesFromHeader,
  WIRE,
} from '@weir/wire/model'
import { controlMessageSchema } from '@weir/wire/schema'
import { backoffMs, MAX_UNAUTHORIZED_MS } from '../core/backoff.ts'
import type { Runtime } from '../core/clock.ts'
import type { HttpAnswer, HttpClient } from '../core/http.ts'

export interface PollOptions {
  /** `http:` or `https:` origin. */
  readonly origin: string
  readonly key: string
  readonly instance: string
  readonly runtime: Runtime
  readonly http: HttpClient
  /** Called before the policy that comes with it. */
  readonly onSplit: (split: EvenSplit, scales: Scales | null) => void
  readonly onSnapshot: (snapshot: Snapshot) => void
}

const TIMEOUT_MS = 10_000

/** The fall-back while there is no socket: some proxies pass HTTP but no upgrade. */
export class Poll {
  readonly #o: PollOptions
  #timer: unknown = null
  #running = false
  #answering = false
  #etag: string | null = null
  #failures = 0
  #unauthorized = 0
  #lastFault = ''
  /** An answer to a question of an earlier turn is not taken. */
  #turn = 0

  constructor(options: PollOptions) {
    this.#o = options
  }

  /** It is asked in place of the socket, and was answered last time. */
  get isAnswering(): boolean {
    return this.#running && this.#answering
  }

  /** Asks for leases; `null`: no answer that is one. */
  async ask(question: Ask): Promise<Grants | null> {
    try {
      const { status, body } = await this.#o.http.send({
        method: 'POST',
        url: `${this.#o.origin}${AGENT_PATHS.leases}`,
        headers: { ...this.#headers(), 'content-type': 'application/json' },
        body: JSON.stringify(question),
        timeoutMs: TIMEOUT_MS,
        maxBytes: WIRE.maxControlMessageBytes,
      })
      const parsed = status === 200 ? controlMessageSchema.safeParse(JSON.parse(body)) : null
      return parsed?.success && parsed.data.type === 'grants' ? parsed.data : null
    } catch {
      return null
    }
  }

  #headers(): Record<string, string> {
    return {
      authorization: `Bearer ${this.#o.key}`,
      accept: 'application/json',
      [INSTANCE_HEADER]: this.#o.instance,
    }
  }

  /** First question after half an interval at least: a socket that is only reconnecting needs none. */
  start(): void {
    if (this.#running) return
    this.#running = true
    this.#turn++
    this.#plan(this.#jittered())
  }

  stop(): void {
    this.#running = this.#answering = false
    this.#turn++
    this.#o.runtime.timers.clear(this.#timer)
    this.#timer = null
  }

  #jittered(): number {
    return WIRE.pollMs * (0.5 + 0.5 * this.#o.runtime.random())
  }

  #plan(delayMs: number): void {
    this.#timer = this.#o.runtime.timers.set(() => void this.#ask(), delayMs)
  }

  async #ask(): Promise<void> {
    const turn = this.#turn
    let next: number
    try {
      const answer = await this.#o.http.send({
        method: 'GET',
        url: `${this.#o.origin}${AGENT_PATHS.policy}`,
        headers: {
          ...this.#headers(),
          ...(this.#etag === null ? {} : { 'if-none-match': this.#etag }),
        },
        timeoutMs: TIMEOUT_MS,
        maxBytes: WIRE.maxControlMessageBytes,
      })
      if (turn !== this.#turn) return
      next = this.#take(answer)
    } catch (error) {
      if (turn !== this.#turn) return
      this.#answering = false
      next = this.#failed(error instanceof Error ? error.message : String(error))
    }
    if (turn === this.#turn) this.#plan(next)
  }

  /** Returns when to ask again. */
  #take(answer: HttpAnswer): number {
    const { random } = this.#o.runtime
    if (answer.status === 401 || answer.status === 403) {
      this.#fault(`The control plane does not accept this key (${answer.status}).`)
      return backoffMs(this.#unauthorized++, WIRE.unauthorizedBackoffMs, MAX_UNAUTHORIZED_MS, random)
    }
    if (![200, 204, 304].includes(answer.status)) return this.#failed(`The control plane answered ${answer.status}.`)
    this.#failures = 0
    this.#unauthorized = 0
    this.#answering = true
    const split = leaseFromHeader(answer.headers[LEASE_HEADER])
    if (split !== null) this.#o.onSplit(split, scalesFromHeader(answer.headers[SCALES_HEADER]))
    // 204: nothing was published yet.
    if (answer.status !== 200) {
      this.#lastFault = ''
      return this.#jittered()
    }
    const parsed = controlMessageSchema.safeParse({ ...(JSON.parse(answer.body) as object), type: 'snapshot' })
    if (!parsed.success || parsed.data.type !== 'snapshot') return this.#failed('The policy was not understood.')
    this.#etag = answer.headers.etag ?? null
    this.#lastFault = ''
    this.#o.onSnapshot(parsed.data)
    return this.#jittered()
  }

  #failed(message: string): number {
    this.#fault(message)
    return backoffMs(this.#failures++, WIRE.pollMs, WIRE.reconnectMaxMs, this.#o.runtime.random)
  }

  #fault(message: string): void {
    if (message === this.#lastFault) return
    this.#lastFault = message
    this.#o.runtime.onError(new Error(message), 'poll')
  }
}
