import { report } from '../core/report.ts'
import type { Parts } from './parts.ts'
import { WeirTimeout } from './refusal.ts'
import type { Scheduled } from './schedule.ts'

/** What a fallback may ask about its own run. */
export interface FallbackRun {
  /** Aborts when it is given up. */
  readonly signal: AbortSignal
}

/** An answer in place of a call that was refused or failed; `cause` is the error, or the value that counted as a failure. */
export type Fallback<T> = (cause: unknown, run: FallbackRun) => T | PromiseLike<T>

/**
 * One guarded fallback: as many at once as the ceiling allows calls, each for at most its time. Answers through `answered`, or gives
 * up through `gaveUp`, once. One that hangs keeps its place until it ends, so that a fallback that is broken too is not piled up on.
 */
class GuardedFallback<T> implements Scheduled, FallbackRun {
  at = 0
  heapIndex = -1
  #over = false
  #controller: AbortController | undefined
  readonly #parts: Parts
  readonly #timeoutMs: number
  readonly #answered: (value: T) => void
  readonly #gaveUp: () => void

  constructor(parts: Parts, givenMs: number | undefined, answered: (value: T) => void, gaveUp: () => void) {
    this.#parts = parts
    this.#timeoutMs = givenMs !== undefined && givenMs >= 0 ? givenMs : parts.policy.timeoutMs
    this.#answered = answered
    this.#gaveUp = gaveUp
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  async start(fallback: Fallback<T>, cause: unknown): Promise<void> {
    const { schedule, runtime, fallbackSlots, name, closed } = this.#parts
    const now = runtime.clock.now()
    if (!closed) schedule.put(this, now + this.#timeoutMs, now)
    try {
      const value = await fallback(cause, this)
      if (this.#end()) {
        this.#parts.books.counts.fallbacks++
        this.#answered(value)
      }
    } catch (error) {
      report(runtime, error, `fallback of ${name}`)
      this.onDue()
    } finally {
      fallbackSlots.release()
    }
  }

  onDue(): void {
    if (!this.#end()) return
    this.#parts.books.counts.fallbacksFailed++
    this.#gaveUp()
    this.#controller?.abort(new WeirTimeout(this.#parts.name, this.#timeoutMs))
  }

  onClose(): void {
    this.onDue()
  }

  #end(): boolean {
    if (this.#over) return false
    this.#over = true
    this.#parts.schedule.remove(this)
    return true
  }
}

/** Of a call: its fallback, and the time for it, milliseconds. */
export interface GivenFallback<T> {
  readonly fallback: Fallback<T>
  readonly fallbackMs?: number | undefined
}

/** Runs the fallback under its guard; `gaveUp` where the guard is full. */
export const runFallback = <T>(
  parts: Parts,
  { fallback, fallbackMs }: GivenFallback<T>,
  cause: unknown,
  answered: (value: T) => void,
  gaveUp: () => void,
): void => {
  if (!parts.fallbackSlots.tryAcquire(parts.policy.ceiling)) {
    parts.books.counts.fallbacksFailed++
    gaveUp()
    return
  }
  void new GuardedFallback(parts, fallbackMs, answered, gaveUp).start(fallback, cause)
}
