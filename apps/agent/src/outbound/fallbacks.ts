import type { Criticality } from '@weir/policy/model'
import type { Clock } from '../core/clock.ts'
import { currentContext } from '../core/context.ts'
import type { DurableQueue } from '../core/durable.ts'
import { realClock } from '../core/real.ts'
import type { Fallback } from './fallback.ts'

/** The first of them that answers, in the order given: the kindest first. @throws the error of the last where none does. */
export const firstOf =
  <T>(first: Fallback<T>, ...others: readonly Fallback<T>[]): Fallback<T> =>
  async (cause, run) => {
    let given: Fallback<T> = first
    for (const next of others) {
      try {
        return await given(cause, run)
      } catch (error) {
        if (run.signal.aborted) throw error
        given = next
      }
    }
    return given(cause, run)
  }

export interface LastGoodOptions {
  /** An older value is none, milliseconds. */
  readonly maxAgeMs: number
  /** The one that was remembered longest ago is forgotten past this. Default 1,000. */
  readonly maxEntries?: number
  /** Default: the process's monotonic clock. */
  readonly clock?: Clock
}

/** What was answered last, by key, to be answered again with its age when there is nothing better. Bounded in number and age; no timer. */
export class LastGood<V> {
  readonly #values = new Map<string, { readonly value: V; readonly at: number }>()
  readonly #maxAgeMs: number
  readonly #maxEntries: number
  readonly #clock: Clock

  /** @throws {RangeError} for an age or a number of entries that is no positive number. */
  constructor({ maxAgeMs, maxEntries = 1_000, clock = realClock }: LastGoodOptions) {
    if (!(maxAgeMs > 0)) throw new RangeError(`maxAgeMs must be above 0, not ${maxAgeMs}.`)
    if (!(maxEntries >= 1)) throw new RangeError(`maxEntries must be at least 1, not ${maxEntries}.`)
    this.#maxAgeMs = maxAgeMs
    this.#maxEntries = maxEntries
    this.#clock = clock
  }

  get size(): number {
    return this.#values.size
  }

  /** Hands the value back, so that it can stand where the answer is made. */
  remember(key: string, value: V): V {
    this.#values.delete(key)
    this.#values.set(key, { value, at: this.#clock.now() })
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#maxEntries) break
      this.#values.delete(oldest)
    }
    return value
  }

  /** The value and its age in milliseconds; `null` = none that is young enough. */
  recall(key: string): { readonly value: V; readonly ageMs: number } | null {
    const found = this.#values.get(key)
    if (found === undefined) return null
    const ageMs = Math.max(0, this.#clock.now() - found.at)
    if (ageMs <= this.#maxAgeMs) return { value: found.value, ageMs }
    this.#values.delete(key)
    return null
  }

  /** A fallback that answers what is remembered; `declare` makes the answer, and says how old it is. Fails where nothing is. */
  fallback<T>(key: string, declare: (value: V, ageMs: number) => T): Fallback<T> {
    return (cause) => {
      const found = this.recall(key)
      if (found === null) throw new Error('Nothing young enough is remembered.', { cause })
      return declare(found.value, found.ageMs)
    }
  }
}

/** A write that its dependency could not do now. */
export interface DeferredCall {
  readonly dependency: string
  /** Enough to do it without its caller. */
  readonly payload: unknown
  /** The key that its attempts bore: one of them may have been done already. */
  readonly idempotencyKey: string
  /** Of the work that it is part of, where that is known. */
  readonly tenant: string | null
  readonly criticality: Criticality | null
}

/**
 * A fallback that makes a write durable, to be done later, and then answers `answer`. The call's own `idempotencyKey` goes along, for a call that timed
 * out may have been done: whoever takes it from the queue sends it with that key.
 */
export const deferWrite =
  <T>(
    queue: DurableQueue<DeferredCall>,
    write: Pick<DeferredCall, 'dependency' | 'payload' | 'idempotencyKey'>,
    answer: T,
  ): Fallback<T> =>
  async (_cause, { signal }) => {
    const context = currentContext()
    const work = { ...write, tenant: context?.tenant ?? null, criticality: context?.criticality ?? null }
    await queue.enqueue(work, signal)
    return answer
  }
