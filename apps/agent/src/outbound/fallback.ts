import { report } from '../core/report.ts'
import type { Parts } from './parts.ts'
import type { Scheduled } from './schedule.ts'

/**
 * One guarded fallback: as many at once as the ceiling allows calls, each for at most the policy's timeout. Answers through `answered`, or gives
 * up through `gaveUp`, once. One that hangs keeps its place until it ends, so that a fallback that is broken too is not piled up on.
 */
class FallbackRun<T> implements Scheduled {
  at = 0
  heapIndex = -1
  #over = false
  readonly #parts: Parts
  readonly #answered: (value: T) => void
  readonly #gaveUp: () => void

  constructor(parts: Parts, answered: (value: T) => void, gaveUp: () => void) {
    this.#parts = parts
    this.#answered = answered
    this.#gaveUp = gaveUp
  }

  async start(fallback: (cause: unknown) => T | PromiseLike<T>, cause: unknown): Promise<void> {
    const { schedule, runtime, policy, fallbackSlots, name, closed } = this.#parts
    const now = runtime.clock.now()
    if (!closed) schedule.put(this, now + policy.timeoutMs, now)
    try {
      const value = await fallback(cause)
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

/** Runs `fallback` under its guard; `gaveUp` where the guard is full. */
export const runFallback = <T>(
  parts: Parts,
  fallback: (cause: unknown) => T | PromiseLike<T>,
  cause: unknown,
  answered: (value: T) => void,
  gaveUp: () => void,
): void => {
  if (!parts.fallbackSlots.tryAcquire(parts.policy.ceiling)) {
    parts.books.counts.fallbacksFailed++
    gaveUp()
    return
  }
  void new FallbackRun(parts, answered, gaveUp).start(fallback, cause)
}
