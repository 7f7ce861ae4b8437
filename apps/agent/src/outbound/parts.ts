import type { DependencyPolicy } from '@weir/policy/model'
import type { Runtime } from '../core/clock.ts'
import type { Sample, Sampler } from '../core/sampling.ts'
import type { Books } from './books.ts'
import type { Breaker, Ticket } from './breaker.ts'
import type { RetryBudget } from './budget.ts'
import type { Endpoints } from './endpoints.ts'
import type { Fallback } from './fallback.ts'
import type { Schedule } from './schedule.ts'
import type { Slots } from './slots.ts'
import type { Throttle } from './throttle.ts'
import type { AttemptEnd, Verdict } from './verdict.ts'

/** What all calls of one dependency share. The policy is replaced as a whole; everything else lives as long as the dependency. */
export interface Parts {
  readonly name: string
  readonly runtime: Runtime
  policy: DependencyPolicy
  /** `null` = the built-in policy. */
  revision: number | null
  readonly breaker: Breaker
  readonly throttle: Throttle
  budget: RetryBudget
  readonly slots: Slots
  readonly endpoints: Endpoints
  readonly fallbackSlots: Slots
  readonly schedule: Schedule
  readonly books: Books
  closed: boolean
  readonly sampler: Sampler
}

/** What admission settled about a call. */
export interface Admission {
  readonly now: number
  readonly ticket: Ticket
  /** When the call is cut off, on the runtime's clock; Infinity = never. */
  readonly deadlineAt: number
  /** When its caller stops waiting: what the callee is told. At most `deadlineAt`. */
  readonly promisedAt: number
  /** Whether the caller's deadline, not the policy's timeout, is what cuts it off. */
  readonly cutByCaller: boolean
  readonly sample: Sample | null
}

/** What an attempt is given. Properties are worked out when read: a signal that nobody reads costs nothing. */
export interface Attempt {
  /** Aborts when the call times out or is cancelled, another attempt answers first, or the process closes. */
  readonly signal: AbortSignal
  /** 1 for the first. */
  readonly attempt: number
  /** To be sent along: the idempotency key, and the context where the dependency is internal. */
  readonly headers: Readonly<Record<string, string>>
  /** Until the call's time is over, milliseconds, at least 0; Infinity = no limit. */
  readonly remainingMs: number
  /** Which of the `endpoints` on offer to use; `null` where none were. */
  readonly endpoint: string | null
}

export interface CallOptions<T> {
  /** Whether the work may be done twice. Default: false, so no retries. */
  readonly idempotent?: boolean | undefined
  /** Makes work repeatable: sent as `idempotency-key`, the same with every attempt. */
  readonly idempotencyKey?: string | undefined
  /** Of the caller; its abort ends the call at once. */
  readonly signal?: AbortSignal | undefined
  /** Time for the whole call, milliseconds from now. The policy's timeout and the inbound deadline still bound it. */
  readonly deadlineMs?: number | undefined
  /**
   * The answer where the call was refused or failed: `LastGood`, `deferWrite`, a default, `firstOf` several. Runs under a guard of its own,
   * as wide as the ceiling, and for at most `fallbackMs`; where it fails the caller gets what it would have got without it.
   */
  readonly fallback?: Fallback<T> | undefined
  /** Time for the fallback, milliseconds: what is durable may take longer than the call was given. Default: the policy's timeout. */
  readonly fallbackMs?: number | undefined
  /**
   * Replicas behind the dependency's name, by what tells them apart (an origin, say): each attempt is given one of them to use, `attempt.endpoint`, and
   * those that fail or lag behind the others are avoided. At most 128 are kept in mind.
   */
  readonly endpoints?: readonly string[] | undefined
  /**
   * What goes on after the answer, a body that is still to come for one: settles when that is over, well or not. Until then the call keeps its slot and
   * its deadline, which aborts the attempt's signal. Default: nothing, the call ends with its answer.
   */
  readonly tail?: ((value: T) => PromiseLike<void> | null) | undefined
  /** Default: a fetch `Response` by its status, any other value a success, an error a failure. */
  readonly classify?: ((end: AttemptEnd<T>) => Verdict) | undefined
  /** Lets go of a value that nobody will get: of a retried attempt, or one that ended after its call. Default: cancels a `Response`'s body. */
  readonly discard?: ((value: T) => void) | undefined
}
