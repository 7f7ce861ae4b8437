import type { Clock, Runtime, Timers } from './clock.ts'
import { seededRandom } from './random.ts'

interface VirtualTimer {
  readonly dueMs: number
  readonly order: number
  readonly callback: () => void
}

/** Time that moves only when told: a clock and its timers for tests and simulations. */
export class VirtualTime implements Clock, Timers {
  #nowMs: number
  #order = 0
  readonly #timers = new Set<VirtualTimer>()

  constructor(startMs = 0) {
    this.#nowMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  set(callback: () => void, delayMs: number): unknown {
    const timer = { dueMs: this.#nowMs + Math.max(delayMs || 0, 0), order: this.#order++, callback }
    this.#timers.add(timer)
    return timer
  }

  clear(handle: unknown): void {
    this.#timers.delete(handle as VirtualTimer)
  }

  /** Timers that are armed. */
  get pending(): number {
    return this.#timers.size
  }

  /** Moves on by `ms`; due timers run in their order, each at its own moment. Promises settle only once the caller awaits. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms
    while (this.#step(endMs));
    this.#nowMs = endMs
  }

  /** As `advance`, but everything that is ready to go on does so before each timer and at the end. */
  async run(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    do await settled()
    while (this.#step(endMs))
    this.#nowMs = endMs
    await settled()
  }

  #step(endMs: number): boolean {
    let next: VirtualTimer | undefined
    for (const timer of this.#timers) {
      const sooner = !next || timer.dueMs < next.dueMs || (timer.dueMs === next.dueMs && timer.order < next.order)
      if (timer.dueMs <= endMs && sooner) next = timer
    }
    if (!next) return false
    this.#timers.delete(next)
    this.#nowMs = Math.max(this.#nowMs, next.dueMs)
    next.callback()
    return true
  }
}

/** Resolves when every microtask that is ready has run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export interface VirtualRuntime extends Runtime {
  /** Clock and timers in one, to be moved. */
  readonly time: VirtualTime
  /** What was reported to the error sink. */
  readonly errors: { error: unknown; where: string }[]
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
