import type { WorkContext } from '../core/context.ts'
import { classifyEnd, discardEnd, type Failed, tailOf } from './attempt.ts'
import { BackoffSequence } from './backoff.ts'
import type { CallOutcome } from './books.ts'
import { type Ticket, UNTRACKED } from './breaker.ts'
import type { Endpoint } from './endpoints.ts'
import { Flight } from './flight.ts'
import { Flights } from './flights.ts'
import { hedgeTime, payHedge } from './hedge.ts'
import { learn, learnCutOff, learnFailed, learnNothing } from './lessons.ts'
import type { Admission, Attempt, CallOptions, Parts } from './parts.ts'
import { attemptHeaders } from './propagation.ts'
import { WeirRefusal, WeirTimeout } from './refusal.ts'
import { Reply } from './reply.ts'
import { decideRetry, forbidsRetry, holdsAbove, mayRepeat } from './retry.ts'
import type { Scheduled } from './schedule.ts'
import { type AttemptEnd, FAILURE, type Verdict } from './verdict.ts'

/** A zombie's slot is taken back after this, milliseconds, and counted as lost: an attempt that never ends must not eat the ceiling for ever. */
export const ZOMBIE_MAX_MS = 60_000

/**
 * The life of one admitted call: attempts, the sleeps between them and the tail of the answer. It holds a slot until its caller has an answer and
 * nothing of it runs any more, and one more while a hedge runs beside the first attempt.
 */
export class Call<T> implements Scheduled {
  at = 0
  heapIndex = -1
  readonly #parts: Parts
  readonly #fn: (attempt: Attempt) => T | PromiseLike<T>
  readonly #options: CallOptions<T>
  readonly #context: WorkContext | undefined
  readonly #admission: Admission
  readonly #reply: Reply<T>
  readonly #flights: Flights
  #attempts = 0
  #sleeping = false
  /** The caller has its answer; the tail of it is not over. */
  #answered = false
  #over = false
  #failed: Failed<T> | undefined
  #backoff: BackoffSequence | undefined
  /** Where the attempt before failed. */
  #avoid: Endpoint | null = null

  constructor(
    parts: Parts,
    fn: (attempt: Attempt) => T | PromiseLike<T>,
    options: CallOptions<T>,
    context: WorkContext | undefined,
    admission: Admission,
  ) {
    this.#parts = parts
    this.#fn = fn
    this.#options = options
    this.#context = context
    this.#admission = admission
    this.#flights = new Flights(parts)
    this.#reply = new Reply(parts, options)
    options.signal?.addEventListener('abort', this)
    context?.signal?.addEventListener('abort', this)
    const hedgeAt = hedgeTime(parts, options, context, admission.now)
    if (hedgeAt < Infinity) this.#reply.keepContext()
    parts.schedule.put(this, Math.min(admission.deadlineAt, hedgeAt), admission.now)
    this.#run(this.#launch(admission.now, admission.ticket, null))
  }

  get promise(): Promise<T> {
    return this.#reply.promise
  }

  get remainingMs(): number {
    return Math.max(0, this.#admission.promisedAt - this.#parts.runtime.clock.now())
  }

  headers(attempt: number): Record<string, string> {
    return attemptHeaders(this.#parts, attempt, this.remainingMs, this.#context, this.#options.idempotencyKey)
  }

  /** The caller, or the inbound work that it is part of, left. */
  handleEvent(event: Event): void {
    // Node forgets the current target once the first listener has run.
    this.#cancel((event.target as AbortSignal).reason)
  }

  onDue(now: number): void {
    if (this.#over) this.#flights.lose()
    else if (this.#sleeping) this.#wake(now)
    else if (now >= this.#admission.deadlineAt) this.#timeOut(now)
    else if (this.#answered) this.#leaveTail(now)
    else this.#sendHedge(now)
  }

  onClose(): void {
    if (!this.#over) this.#cancel(new WeirRefusal(this.#parts.name, 'draining', null, this.#parts.revision))
  }

  #launch(now: number, ticket: Ticket, avoid: Endpoint | null): Flight {
    const { books, budget, endpoints, policy, runtime } = this.#parts
    const attempt = ++this.#attempts
    books.counts.attempts++
    if (attempt === 1) budget.deposit(now)
    else if (this.#context !== undefined) this.#context.retried++
    const placement = endpoints.place(this.#options.endpoints, now, policy, runtime.random, avoid)
    const flight = new Flight(this, attempt, now, ticket, placement)
    this.#flights.add(flight)
    return flight
  }

  #run(flight: Flight): void {
    let result: T | PromiseLike<T>
    try {
      result = this.#fn(flight)
    } catch (error) {
      this.#ended(flight, { ok: false, error })
      return
    }
    Promise.resolve(result).then(
      (value) => this.#ended(flight, { ok: true, value }),
      (error) => this.#ended(flight, { ok: false, error }),
    )
  }

  #ended(flight: Flight, end: AttemptEnd<T>): void {
    const verdict = this.#over || flight.dropped ? null : classifyEnd(end, this.#options, this.#parts)
    // The host's own classification may have ended the call.
    if (verdict === null || this.#over) {
      this.#flights.land(flight)
      discardEnd(end, this.#options, this.#parts)
      return
    }
    const now = this.#parts.runtime.clock.now()
    if (this.#context !== undefined) this.#context.retried += verdict.retried
    if (end.ok && (verdict.kind === 'success' || verdict.kind === 'neutral'))
      this.#answer(flight, end.value, verdict, now)
    else this.#judge(flight, { end, verdict }, now)
  }

  #judge(flight: Flight, failed: Failed<T>, now: number): void {
    this.#flights.land(flight)
    learnFailed(this.#parts, flight, failed.verdict, this.#admission, now)
    const before = this.#failed
    if (before !== undefined && before.end !== failed.end) discardEnd(before.end, this.#options, this.#parts)
    const verdict = before !== undefined && forbidsRetry(before.verdict) ? before.verdict : failed.verdict
    this.#failed = { end: failed.end, verdict }
    if (this.#flights.current !== undefined) return
    if (this.#parts.policy.mode !== 'enforce') this.#fail(failed.end, now)
    else this.#retryOrFail(failed.end, verdict, flight, now)
  }

  #retryOrFail(end: AttemptEnd<T>, verdict: Verdict, flight: Flight, now: number): void {
    const { runtime, policy, budget, books, breaker, schedule } = this.#parts
    this.#backoff ??= new BackoffSequence()
    const question = {
      verdict,
      attempt: this.#attempts,
      repeatable: mayRepeat(this.#options),
      upperAttempt: this.#context?.attempt ?? 1,
      now,
      deadlineAt: this.#admission.deadlineAt,
      breakerOpen: policy.breaker.mode !== 'observe' && breaker.view(now) === 'open',
    }
    const answer = decideRetry(question, policy.retry, this.#backoff, budget, runtime.random)
    if (answer.retry) {
      this.#reply.keepContext()
      this.#sleeping = true
      this.#avoid = flight.placement?.endpoint ?? null
      schedule.put(this, now + answer.delayMs, now)
      return
    }
    if (answer.why === 'budget') books.counts.budgetExhausted++
    if (this.#context !== undefined && holdsAbove(answer.why, verdict)) this.#context.retried++
    this.#fail(end, now)
  }

  #wake(now: number): void {
    const { schedule, breaker, policy, books } = this.#parts
    const failed = this.#failed
    this.#sleeping = false
    const late = now >= this.#admission.deadlineAt
    const ticket = late ? null : breaker.tryAcquire(now)
    if (failed !== undefined) {
      if (late || (ticket === null && policy.mode === 'enforce' && policy.breaker.mode !== 'observe')) {
        this.#fail(failed.end, now)
        return
      }
      discardEnd(failed.end, this.#options, this.#parts)
      this.#failed = undefined
    }
    schedule.put(this, this.#admission.deadlineAt, now)
    books.counts.retries++
    const flight = this.#launch(now, ticket ?? UNTRACKED, this.#avoid)
    this.#reply.inContext(() => this.#run(flight))
  }

  /** A second attempt beside a first that takes long: paid for like a retry, with a slot of its own, and only while all is well. */
  #sendHedge(now: number): void {
    const { schedule, breaker } = this.#parts
    schedule.put(this, this.#admission.deadlineAt, now)
    const first = this.#flights.current
    if (first === undefined || !payHedge(this.#parts, this.#attempts, now)) return
    const flight = this.#launch(now, breaker.tryAcquire(now) ?? UNTRACKED, first.placement?.endpoint ?? null)
    this.#reply.inContext(() => this.#run(flight))
  }

  /** The caller has its answer; the call goes on until its tail is over. */
  #answer(flight: Flight, value: T, verdict: Verdict, now: number): void {
    const headMs = now - flight.startedAt
    if (this.#flights.count > 1) for (const other of this.#flights.live) if (other !== flight) this.#drop(other)
    this.#forgetFailed()
    const tail = tailOf(value, this.#options, this.#parts)
    if (tail === null) this.#complete(flight, verdict, headMs)
    else {
      const { deadlineAt } = this.#admission
      this.#answered = true
      this.#parts.schedule.put(this, deadlineAt < Infinity ? deadlineAt : now + ZOMBIE_MAX_MS, now)
      tail.then(
        () => this.#complete(flight, verdict, headMs),
        () => this.#breakOff(flight),
      )
    }
    this.#reply.answer(value)
  }

  #complete(flight: Flight, verdict: Verdict, headMs: number): void {
    const over = this.#over
    this.#flights.land(flight)
    if (over) return
    const now = this.#parts.runtime.clock.now()
    learn(this.#parts, flight, verdict, headMs, now)
    this.#finish(now >= this.#admission.deadlineAt ? 'late' : 'completed', now)
  }

  /** The answer began well and never came whole. */
  #breakOff(flight: Flight): void {
    const over = this.#over
    this.#flights.land(flight)
    if (over) return
    const now = this.#parts.runtime.clock.now()
    learn(this.#parts, flight, FAILURE, now - flight.startedAt, now)
    this.#finish('failed', now)
  }

  /** Nothing cuts off an observed call, but an answer that nobody reads must not hold its slot for ever. */
  #leaveTail(now: number): void {
    for (const flight of this.#flights.live) learnNothing(this.#parts, flight)
    this.#finish('completed', now)
    this.#flights.lose()
    this.#parts.schedule.remove(this)
  }

  #drop(flight: Flight): void {
    flight.dropped = true
    learnNothing(this.#parts, flight)
    flight.abort(new DOMException('Another attempt answered first.', 'AbortError'))
  }

  #timeOut(now: number): void {
    const error = new WeirTimeout(this.#parts.name, now - this.#admission.now)
    const running = this.#flights.live
    for (const flight of running) learnCutOff(this.#parts, flight, this.#admission.cutByCaller, now)
    this.#forgetFailed()
    if (this.#answered) this.#finish('failed', now)
    else this.#fail({ ok: false, error }, now)
    for (const flight of running) flight.abort(error)
  }

  #cancel(reason: unknown): void {
    const running = this.#flights.live
    for (const flight of running) learnNothing(this.#parts, flight)
    this.#forgetFailed()
    this.#finish('cancelled', this.#parts.runtime.clock.now())
    this.#reply.refuse(reason)
    for (const flight of running) flight.abort(reason)
  }

  #fail(end: AttemptEnd<T>, now: number): void {
    this.#finish('failed', now)
    this.#reply.fail(end)
  }

  /** The books close; slots are free unless something still runs. */
  #finish(outcome: CallOutcome, now: number): void {
    const { books, schedule, closed } = this.#parts
    if (this.#over) return
    this.#over = true
    this.#options.signal?.removeEventListener('abort', this)
    this.#context?.signal?.removeEventListener('abort', this)
    books.ended(outcome, now - this.#admission.now)
    this.#admission.sample?.end({ outcome, attempts: this.#attempts })
    schedule.remove(this)
    if (this.#flights.end() && !closed) schedule.put(this, now + ZOMBIE_MAX_MS, now)
  }

  #forgetFailed(): void {
    if (this.#failed !== undefined) discardEnd(this.#failed.end, this.#options, this.#parts)
    this.#failed = undefined
  }
}
