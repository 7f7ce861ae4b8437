import type { Ask, Grants, Obeyed } from '@weir/wire/model'
import { WIRE } from '@weir/wire/model'
import type { Runtime } from './core/clock.ts'
import type { Leases } from './leases/leases.ts'

export interface ClerkOptions {
  readonly leases: Leases
  readonly runtime: Runtime
  /** Whether a question can be sent now. */
  readonly open: () => boolean
  readonly send: (message: Ask | Obeyed) => void
  /** It was never answered, or is now. */
  readonly onUncounted: (uncounted: boolean) => void
}

/** How often it looks whether a demand has outgrown what was told, as a share of a refresh. */
const LOOK = 0.2

/** What is said with the welcome is here by then. */
const GREETING_MS = 20

/** Carries questions for leases and their answers, by whatever connection there is. */
export class LeaseClerk {
  readonly #o: ClerkOptions
  #timer: unknown = null
  #patience: unknown = null
  #answered = false
  #uncounted = false
  #closed = false
  /** Nothing is asked before. */
  #quietUntilMs = Number.NEGATIVE_INFINITY

  constructor(options: ClerkOptions) {
    this.#o = options
    options.leases.onHurry = () => this.#plan()
  }

  /** It was not answered in time, and never was before. */
  get uncounted(): boolean {
    return this.#uncounted
  }

  start(): void {
    this.#patience = this.#o.runtime.timers.set(() => this.unanswered(), WIRE.leaseRefreshMs)
    this.#plan()
  }

  /** A connection is new: the policy comes with the welcome, and is waited for. */
  connected(): void {
    this.#o.leases.connected()
    this.#quietFor(GREETING_MS)
    this.#plan()
  }

  /** It could not connect, or was not answered in time: what it never was granted it takes an even part of, if that is the rule. */
  unanswered(): void {
    if (!this.#answered) this.#tell(true)
  }

  take({ n, granted }: Grants): void {
    const { leases, runtime } = this.#o
    runtime.timers.clear(this.#patience)
    this.#answered = true
    this.#quietFor(0)
    this.#tell(false)
    const obeyed = leases.take(n, granted, runtime.clock.now())
    if (obeyed.length > 0) this.#o.send({ type: 'obeyed', obeyed })
    this.#plan()
  }

  /** A planned restart: safe capacities only, until another answer comes. */
  drain(): void {
    this.#o.leases.cap(this.#o.runtime.clock.now())
  }

  close(): void {
    this.#closed = true
    this.#o.runtime.timers.clear(this.#timer)
    this.#o.runtime.timers.clear(this.#patience)
  }

  #tell(uncounted: boolean): void {
    if (uncounted === this.#uncounted) return
    this.#uncounted = uncounted
    this.#o.onUncounted(uncounted)
  }

  #look(): void {
    const { leases, runtime, open, send } = this.#o
    const question = open() ? leases.ask(runtime.clock.now()) : null
    if (question !== null) {
      this.#quietFor(LOOK * leases.refreshMs)
      send({ type: 'ask', ...question })
    }
    this.#plan()
  }

  #quietFor(ms: number): void {
    this.#quietUntilMs = this.#o.runtime.clock.now() + ms
  }

  #plan(): void {
    const { leases, runtime, open } = this.#o
    runtime.timers.clear(this.#timer)
    if (this.#closed) return
    const nowMs = runtime.clock.now()
    const lookMs = LOOK * leases.refreshMs
    const dueInMs = open() ? Math.min(lookMs, leases.dueMs - nowMs) : lookMs
    this.#timer = runtime.timers.set(() => this.#look(), Math.max(0, dueInMs, this.#quietUntilMs - nowMs))
  }
}
