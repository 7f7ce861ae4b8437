import { type DependencyPolicy, type Problem, UNNAMED_DEPENDENCY } from '@weir/policy/model'
import { type BreakerState, DEPENDENCY_REASONS, type DependencyReason, type DependencyReport } from '@weir/wire/model'
import type { Runtime } from '../core/clock.ts'
import { currentContext } from '../core/context.ts'
import type { FigureAttributes, FigureSink, FigureSource } from '../core/figures.ts'
import { NO_SAMPLES, type Sample, type Sampler } from '../core/sampling.ts'
import { Books } from './books.ts'
import { Breaker, UNTRACKED } from './breaker.ts'
import { budgetFor } from './budget.ts'
import { Call } from './call.ts'
import { Endpoints } from './endpoints.ts'
import { runFallback } from './fallback.ts'
import { passThrough } from './off.ts'
import type { Attempt, CallOptions, Parts } from './parts.ts'
import { dependencyProblems } from './problems.ts'
import { WeirRefusal } from './refusal.ts'
import { refusalOf, sampleOf } from './sample.ts'
import { Schedule } from './schedule.ts'
import { Slots } from './slots.ts'
import { Throttle } from './throttle.ts'

const BREAKER_GAUGE: Readonly<Record<BreakerState, number>> = { closed: 0, 'half-open': 1, open: 2 }
const NO_OPTIONS = {}

/**
 * A named downstream. A call passes, in this order:
 *
 * 1. *Caller there, time left*: costs nothing and takes nothing that would have to be given back.
 * 2. *Breaker*, then *throttle*: while the callee is known to be ill a call must not even occupy a slot.
 * 3. *Ceiling*: last of what refuses, for its slot is real. A refusal here returns the probe's place.
 * 4. *Timeout*: one for the whole call, so that neither retries nor a body that trickles can stretch it.
 * 5. *Attempt*, *classification*: the breaker is asked and told for each attempt, for it judges the callee and not our patience.
 *    The *endpoint* is chosen here, for a retry is to go elsewhere.
 * 6. *Retry*, and hedge, under the budget; the slot is kept during the sleep, so sleepers count against the ceiling.
 * 7. *Fallback*: outside all the others, so that it works when they refuse, under a guard of its own.
 *
 * `observe` refuses, cuts off and repeats nothing by policy: it counts, and obeys only what the caller itself asked for. `off` does not even count.
 */
export class Dependency implements FigureSource {
  readonly name: string
  readonly #parts: Parts
  readonly #attributes: FigureAttributes
  #staleSeen = 0

  /** On the built-in policy, which observes, until `apply`. */
  constructor(name: string, runtime: Runtime, sampler: Sampler = NO_SAMPLES) {
    this.name = name
    this.#attributes = { dependency: name }
    const now = runtime.clock.now()
    const policy = UNNAMED_DEPENDENCY
    this.#parts = {
      name,
      runtime,
      policy,
      revision: null,
      breaker: new Breaker(policy.breaker, now),
      throttle: new Throttle(now),
      budget: budgetFor(policy.budget, null, now),
      slots: new Slots(),
      endpoints: new Endpoints(),
      fallbackSlots: new Slots(),
      schedule: new Schedule(runtime),
      books: new Books(name),
      closed: false,
      sampler,
    }
  }

  /** Whether context headers may leave towards it. */
  get internal(): boolean {
    return this.#parts.policy.internal
  }

  /**
   * Runs `fn` under the contract. Rejects with `WeirRefusal` (refused here, nothing was sent), `WeirTimeout`, the reason of the caller's signal,
   * or whatever the last attempt threw; resolves with what it returned, or with the fallback's answer.
   */
  call<T>(fn: (attempt: Attempt) => T | PromiseLike<T>, options: CallOptions<T> = NO_OPTIONS): Promise<T> {
    const parts = this.#parts
    const { policy, breaker, slots, books } = parts
    const context = currentContext()
    if (policy.mode === 'off') return passThrough(fn, options, context, parts)
    const now = parts.runtime.clock.now()
    const enforce = policy.mode === 'enforce'
    books.counts.calls++
    const sample = sampleOf(parts, context)
    const left = options.signal?.aborted ? options.signal : context?.signal?.aborted ? context.signal : null
    if (left !== null) {
      books.counts.cancelled++
      sample?.end({ outcome: 'cancelled', attempts: 0 })
      return Promise.reject(left.reason)
    }
    if (parts.closed) return this.#refuse('draining', null, options, sample)

    let would: DependencyReason | null = null
    const askedAt =
      typeof options.deadlineMs === 'number' && !Number.isNaN(options.deadlineMs) ? now + options.deadlineMs : Infinity
    const callerAt = Math.min(askedAt, context?.deadlineAt ?? Infinity)
    if (callerAt <= now) {
      if (enforce) return this.#refuse('deadline-passed', null, options, sample)
      would = 'deadline-passed'
    }

    let ticket = breaker.tryAcquire(now)
    if (ticket === null) {
      if (enforce && policy.breaker.mode !== 'observe')
        return this.#refuse('breaker-open', breaker.retryAfterMs(now), options, sample)
      would ??= 'breaker-open'
      ticket = UNTRACKED
    }
    if (policy.throttle !== null && parts.throttle.refuses(now, policy.throttle, parts.runtime.random)) {
      if (enforce) {
        parts.throttle.record(now, false)
        breaker.neutral(ticket)
        return this.#refuse('throttled', null, options, sample)
      }
      would ??= 'throttled'
    }
    if (!slots.tryAcquire(policy.ceiling)) {
      if (enforce) {
        breaker.neutral(ticket)
        return this.#refuse('ceiling-reached', null, options, sample)
      }
      slots.tryAcquire(Infinity)
      would ??= 'ceiling-reached'
    }
    if (would !== null) books.wouldShed(would)
    const timeoutAt = now + policy.timeoutMs
    const observedAt = askedAt > now ? askedAt : Infinity
    const deadlineAt = enforce ? Math.min(timeoutAt, callerAt) : observedAt
    const promisedAt = Math.min(deadlineAt, callerAt)
    return new Call(parts, fn, options, context, {
      now,
      ticket,
      deadlineAt,
      promisedAt,
      cutByCaller: deadlineAt < timeoutAt,
      sample,
    }).promise
  }

  /** Takes another policy; breaker, budget, throttle and slots keep their state. With problems nothing changes, and they are the answer. */
  apply(next: { readonly policy: DependencyPolicy; readonly revision: number | null }): readonly Problem[] {
    const problems = dependencyProblems(next.policy)
    if (problems.length > 0) return problems
    const parts = this.#parts
    const now = parts.runtime.clock.now()
    parts.policy = next.policy
    parts.revision = next.revision
    parts.breaker.apply(next.policy.breaker, now)
    parts.budget = budgetFor(next.policy.budget, parts.budget, now)
    return problems
  }

  report(): DependencyReport {
    const { policy, slots, breaker, budget, runtime } = this.#parts
    const now = runtime.clock.now()
    return {
      name: this.name,
      ceiling: policy.ceiling,
      inFlight: slots.inUse,
      breaker: breaker.view(now),
      breakerMode: policy.breaker.mode,
      budgetLeft: budget.left(now),
    }
  }

  /** Mean duration of the calls that ended since the last time that this was asked, milliseconds; NaN when none did. */
  takeLatencyMs(): number {
    return this.#parts.books.takeLatencyMs()
  }

  collect(sink: FigureSink): void {
    const { books, breaker, slots, policy, endpoints } = this.#parts
    const attributes = this.#attributes
    books.collect(sink)
    const stale = breaker.stale - this.#staleSeen
    this.#staleSeen = breaker.stale
    if (stale > 0) sink.counter('weir.dependency.stale', stale, attributes)
    const ejections = endpoints.takeEjections()
    if (ejections > 0) sink.counter('weir.dependency.ejections', ejections, attributes)
    if (policy.mode === 'off') return
    const state = this.report()
    sink.gauge('weir.dependency.in_flight', state.inFlight, attributes)
    sink.gauge('weir.dependency.zombies', slots.zombies, attributes)
    sink.gauge('weir.dependency.ceiling', state.ceiling, attributes)
    sink.gauge('weir.dependency.breaker', BREAKER_GAUGE[state.breaker], attributes)
    sink.gauge('weir.dependency.budget_left', state.budgetLeft, attributes)
    if (endpoints.known > 0) sink.gauge('weir.dependency.ejected', endpoints.ejected, attributes)
  }

  /** Ends every call that is not over as cancelled, refuses new ones as draining, and leaves no timer. */
  close(): void {
    this.#parts.closed = true
    this.#parts.schedule.close()
  }

  #refuse<T>(
    reason: DependencyReason,
    retryAfterMs: number | null,
    options: CallOptions<T>,
    sample: Sample | null,
  ): Promise<T> {
    const parts = this.#parts
    parts.books.shed(reason)
    const told = sample ?? refusalOf(parts, currentContext())
    told?.end({
      outcome: 'shed',
      reason,
      signal: DEPENDENCY_REASONS[reason].signal,
      attempts: 0,
      ...(retryAfterMs === null ? {} : { retryAfterMs }),
    })
    const refusal = new WeirRefusal(this.name, reason, retryAfterMs, parts.revision)
    const { fallback, fallbackMs } = options
    if (fallback === undefined) return Promise.reject(refusal)
    return new Promise((resolve, reject) =>
      runFallback(parts, { fallback, fallbackMs }, refusal, resolve, () => reject(refusal)),
    )
  }
}
