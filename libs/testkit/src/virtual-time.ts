import { type Due, EventQueue } from './event-queue.ts'
import { type Random, seededRandom } from './random.ts'

/** Time that moves only when told: a clock and its timers for tests and simulations. Milliseconds. */
export class VirtualTime {
  #nowMs: number
  readonly #timers = new EventQueue<() => void>()

  constructor(startMs = 0) {
    this.#nowMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  /** A delay that is negative or no number is none. */
  set(callback: () => void, delayMs: number): unknown {
    return this.#timers.put(this.#nowMs + Math.max(delayMs || 0, 0), callback)
  }

  clear(handle: unknown): void {
    if (handle) this.#timers.remove(handle as Due<() => void>)
  }

  /** Timers that are armed. */
  get pending(): number {
    return this.#timers.size
  }

  /** When the next timer is due; Infinity when none is armed. */
  get nextMs(): number {
    return this.#timers.nextMs
  }

  /** Moves on by `ms`; due timers run in their order, each at its own moment. Promises settle only once the caller awaits. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms
    while (this.step(endMs));
    this.#nowMs = endMs
  }

  /** As `advance`, but everything that is ready to go on does so before each timer and at the end. */
  async run(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    do await settled()
    while (this.step(endMs))
    this.#nowMs = endMs
    await settled()
  }

  /** Moves on to the next timer that is due by `endMs` and runs it; `false`, and nothing moves, where there is none. */
  step(endMs: number): boolean {
    if (!(this.#timers.nextMs <= endMs)) return false
    const due = this.#timers.take()
    if (!due) return false
    this.#nowMs = Math.max(this.#nowMs, due.atMs)
    due.value()
    return true
  }
}

/** Resolves when every microtask that is ready has run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What the agent's decision code needs of the world, on virtual time. */
export interface VirtualRuntime {
  /** Clock and timers in one, to be moved. */
  readonly time: VirtualTime
  readonly clock: VirtualTime
  readonly timers: VirtualTime
  readonly random: Random
  /** What was reported to the error sink. */
  readonly errors: { error: unknown; where: string }[]
  onError(error: unknown, where: string): void
}

/** A whole world on virtual time. `seed` fixes the randomness. */
export const virtualRuntime = (seed = 1, startMs = 0): VirtualRuntime => {
  const time = new VirtualTime(startMs)
  const errors: VirtualRuntime['errors'] = []
  return {
    time,
    clock: time,
    timers: time,
    random: seededRandom(seed),
    errors,
    onError: (error, where) => errors.push({ error, where }),
  }
}
