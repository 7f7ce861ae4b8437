import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Timers } from '../core/clock.ts'

/** Runs a function outside of any request's context, so that a timer set for one does not keep that context alive. */
const outside = AsyncLocalStorage.snapshot()

/** One lazy timer for many due times: brought forward when needed, never put back; a ring too early finds nothing due and says when the next is. */
export class Alarm {
  readonly #clock: Clock
  readonly #timers: Timers
  readonly #ring: (nowMs: number) => number
  #handle: unknown
  #dueMs = Number.POSITIVE_INFINITY
  #closed = false

  /** `ring` does what is due and returns when the next is, `Infinity` for never. */
  constructor(clock: Clock, timers: Timers, ring: (nowMs: number) => number) {
    this.#clock = clock
    this.#timers = timers
    this.#ring = ring
  }

  /** Rings at `dueMs` at the latest. */
  noLaterThan(dueMs: number): void {
    if (dueMs < this.#dueMs) this.#arm(dueMs)
  }

  close(): void {
    this.#closed = true
    this.#clear()
  }

  #arm(dueMs: number): void {
    if (this.#closed) return
    this.#clear()
    this.#dueMs = dueMs
    const delayMs = dueMs - this.#clock.now()
    this.#handle = outside(() => this.#timers.set(this.#fire, delayMs))
  }

  #clear(): void {
    if (this.#handle !== undefined) this.#timers.clear(this.#handle)
    this.#handle = undefined
    this.#dueMs = Number.POSITIVE_INFINITY
  }

  readonly #fire = (): void => {
    this.#handle = undefined
    this.#dueMs = Number.POSITIVE_INFINITY
    this.noLaterThan(this.#ring(this.#clock.now()))
  }
}
