import type { Clock, Timers } from './clock.ts'

/** Kept, because the global is a getter, which costs a quarter of a reading. */
const { performance } = globalThis

/** Longest delay that `setTimeout` honours, milliseconds: a longer one fires after 1 ms. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** Milliseconds since the process began; steps of the time of day do not touch it. */
export const realClock: Clock = { now: () => performance.now() }

class RealTimer {
  readonly #callback: () => void
  readonly #dueMs: number
  #handle: NodeJS.Timeout | undefined

  constructor(callback: () => void, dueMs: number) {
    this.#callback = callback
    this.#dueMs = dueMs
    this.#arm()
  }

  clear(): void {
    clearTimeout(this.#handle)
  }

  /** Node's timers have whole milliseconds, so the delay is rounded up. */
  #arm(): void {
    const leftMs = Math.ceil(this.#dueMs - performance.now())
    this.#handle = setTimeout(this.#fire, Math.min(Math.max(leftMs, 0), MAX_DELAY_MS)).unref()
  }

  readonly #fire = (): void => {
    if (performance.now() < this.#dueMs) this.#arm()
    else this.#callback()
  }
}

/**
 * One-shot timers that never keep the process alive. Delays past 2^31-1 ms are waited for in pieces; a timer that Node fires early is armed again,
 * so at the callback the delay has passed by `realClock`. NaN and negative delays mean now.
 */
export const realTimers: Timers = {
  set: (callback, delayMs) => new RealTimer(callback, performance.now() + Math.max(delayMs || 0, 0)),
  clear: (handle) => {
    if (handle instanceof RealTimer) handle.clear()
  },
}
