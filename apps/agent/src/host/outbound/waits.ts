import type { Clock } from '../../core/clock.ts'
import { realClock } from '../../core/real.ts'

/** More that wait at once than this are not told apart: the oldest are what counts. */
const MAX_WAITING = 10_000

export interface Wait {
  readonly at: number
}

/** Waits that have begun: the longest is what a gauge shows. */
export class Waits {
  readonly #clock: Clock
  /** In the order of their beginning. */
  readonly #waiting = new Set<Wait>()
  #longestEndedMs = 0

  constructor(clock: Clock = realClock) {
    this.#clock = clock
  }

  begin(): Wait {
    const wait = { at: this.#clock.now() }
    if (this.#waiting.size < MAX_WAITING) this.#waiting.add(wait)
    return wait
  }

  end(wait: Wait): void {
    this.#waiting.delete(wait)
    this.#longestEndedMs = Math.max(this.#longestEndedMs, this.#clock.now() - wait.at)
  }

  /** Milliseconds: of the one that waits longest now, or of the longest that ended since the last reading. */
  read(): number {
    const [oldest] = this.#waiting
    const ended = this.#longestEndedMs
    this.#longestEndedMs = 0
    return Math.max(ended, oldest === undefined ? 0 : this.#clock.now() - oldest.at)
  }
}
