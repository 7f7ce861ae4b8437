import { AsyncResource } from 'node:async_hooks'
import type { Permit } from './work.ts'

/** The most that demand can be: from here on sums stay what they are. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER

/**
 * Granted demand: how much more a consumer may be given, as in Reactive Streams' `request(n)`. Sums saturate; 0, negative numbers, fractions and NaN
 * are refused, and change nothing.
 */
export class Demand {
  #wanted = 0

  get wanted(): number {
    return this.#wanted
  }

  /** Whether it was a demand. */
  add(n: number): boolean {
    if (!Number.isInteger(n) || n <= 0) return n === Number.POSITIVE_INFINITY ? this.#unbound() : false
    this.#wanted = n >= UNBOUNDED - this.#wanted ? UNBOUNDED : this.#wanted + n
    return true
  }

  /** One was given; unbounded demand stays so. */
  take(): void {
    if (this.#wanted < UNBOUNDED) this.#wanted--
  }

  clear(): void {
    this.#wanted = 0
  }

  #unbound(): true {
    this.#wanted = UNBOUNDED
    return true
  }
}

/** A consumer that asks for work only as far as the gate has slots for it. */
export interface Credits {
  /**
   * Wants `n` more permits: each is handed over as soon as the gate has a slot for it, after the work that waits already.
   * @returns false for what is no demand: 0, a negative number, a fraction, NaN. Sums saturate.
   */
  request(n: number): boolean
  /** Permits that are wanted and were not handed over. */
  readonly wanted: number
  /** Wants no more. Permits that were handed over end as ever. */
  close(): void
}

/** A permit for one more, or `null` while there is no slot. Nothing was offered before there is one. */
export type Pull = () => Permit | null

class Puller implements Credits {
  readonly demand = new Demand()
  readonly #pull: Pull
  readonly #take: (permit: Permit) => void
  readonly #pulls: Pulls
  readonly #asked: () => void
  readonly #failed: (error: unknown) => void

  constructor(
    pull: Pull,
    take: (permit: Permit) => void,
    pulls: Pulls,
    asked: () => void,
    failed: (error: unknown) => void,
  ) {
    this.#pull = pull
    this.#take = take
    this.#pulls = pulls
    this.#asked = asked
    this.#failed = failed
  }

  get wanted(): number {
    return this.demand.wanted
  }

  request(n: number): boolean {
    if (!this.demand.add(n)) return false
    this.#pulls.want(this)
    this.#asked()
    return true
  }

  close(): void {
    this.demand.clear()
    this.#pulls.leave(this)
  }

  /** Whether it was handed one. */
  serve(): boolean {
    if (this.demand.wanted === 0) return false
    const permit = this.#pulled()
    if (permit === null) return false
    this.demand.take()
    try {
      this.#take(permit)
    } catch (error) {
      permit.failure()
      this.#failed(error)
    }
    return true
  }

  /** Work that cannot be read is not asked for again. */
  #pulled(): Permit | null {
    try {
      return this.#pull()
    } catch (error) {
      this.demand.clear()
      this.#failed(error)
      return null
    }
  }
}

/** Those that want permits, in turn. A consumer that ends its permit at once, or asks for more while it is handed one, is served in the same round. */
export class Pulls {
  readonly #waiting = new Set<Puller>()
  #serving = false

  get wanting(): boolean {
    return this.#waiting.size > 0
  }

  /** `asked` is called whenever one wants more; `take` in the async context of this call, not of whoever frees a slot. */
  open(pull: Pull, take: (permit: Permit) => void, asked: () => void, failed: (error: unknown) => void): Credits {
    return new Puller(pull, AsyncResource.bind(take), this, asked, failed)
  }

  want(puller: Puller): void {
    this.#waiting.add(puller)
  }

  leave(puller: Puller): void {
    this.#waiting.delete(puller)
  }

  close(): void {
    for (const puller of this.#waiting) puller.demand.clear()
    this.#waiting.clear()
  }

  /** Hands out free slots: one each, the one that was served goes to the end. At most `ROUND` at a time, the rest at the next chance. */
  serve(): void {
    if (this.#serving || this.#waiting.size === 0) return
    this.#serving = true
    try {
      let misses = 0
      for (let left = ROUND; left > 0 && misses < this.#waiting.size; left--) {
        const [puller] = this.#waiting
        if (!puller) return
        this.#waiting.delete(puller)
        misses = puller.serve() ? 0 : misses + 1
        if (puller.wanted > 0) this.#waiting.add(puller)
      }
    } finally {
      this.#serving = false
    }
  }
}

/** Bounds one round: a consumer that ends each permit at once would otherwise never let go. */
const ROUND = 1_000
