import { AsyncResource } from 'node:async_hooks'
import type { WorkContext } from '../core/context.ts'
import type { Sample } from '../core/sampling.ts'
import { AttemptView, classifyEnd, discardEnd } from './attempt.ts'
import { BackoffSequence } from './backoff.ts'
import type { CallOutcome } from './books.ts'
import { type Ticket, UNTRACKED } from './breaker.ts'
import { runFallback } from './fallback.ts'
import type { Attempt, CallOptions, Parts } from './parts.ts'
import { attemptHeaders } from './propagation.ts'
import { WeirRefusal, WeirTimeout } from './refusal.ts'
import { decideRetry, holdsAbove } from './retry.ts'
import type { Scheduled } from './schedule.ts'
import type { AttemptEnd, Verdict } from './verdict.ts'

/** A zombie's slot is taken back after this, milliseconds, and counted as lost: an attempt that never ends must not eat the ceiling for ever. */
export const ZOMBIE_MAX_MS = 60_000

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

/** The life of one admitted call, which holds one slot: attempts and the sleeps between them, until its caller has an answer and no attempt runs. */
export class Call<T> implements Scheduled {
  at = 0
  heapIndex = -1
  readonly promise: Promise<T>
  readonly #parts: Parts
  readonly #fn: (attempt: Attempt) => T | PromiseLike<T>
  readonly #options: CallOptions<T>
  readonly #context: WorkContext | undefined
  readonly #admission: Admission
  /** Back into the caller's async context: timers are shared, so they run in somebody else's. */
  #scope: AsyncResource | undefined
  #resolve!: (value: T) => void
  #reject!: (error: unknown) => void
  #ticket: Ticket
  #attempt = 0
  #attemptStartedAt = 0
  #running = false
  #over = false
  #lost = false
  /** How the attempt before the present sleep ended; present = sleeping. */
  #last: AttemptEnd<T> | undefined
  #backoff: BackoffSequence | undefined
  #controller: AbortController | undefined
  #aborted: { readonly reason: unknown } | undefined

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
    this.#ticket = admission.ticket
    this.promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    if (options.fallback !== undefined) this.#scope = callScope()
    options.signal?.addEventListener('abort', this)
    context?.signal?.addEventListener('abort', this)
    parts.schedule.put(this, admission.deadlineAt, admission.now)
    this.#send(admission.now)
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason)
    }
    return this.#controller.signal
  }

  get remainingMs(): number {
    return Math.max(0, this.#admission.promisedAt - this.#parts.runtime.clock.now())
  }

  headers(attempt: number): Record<string, string> {
    const { internal } = this.#parts.policy
    return attemptHeaders(internal, attempt, this.remainingMs, this.#context, this.#options.idempotencyKey)
  }

  /** The caller, or the inbound work that it is part of, left. */
  handleEvent(event: Event): void {
    this.#cancel((event.currentTarget as AbortSignal).reason)
  }

  onDue(now: number): void {
    if (this.#over) this.#lose()
    else if (this.#last !== undefined) this.#wake(now, this.#last)
    else this.#timeOut(now)
  }

  onClose(): void {
    if (!this.#over) this.#cancel(new WeirRefusal(this.#parts.name, 'draining', null, this.#parts.revision))
  }

  #send(now: number): void {
    const { books, budget } = this.#parts
    const attempt = ++this.#attempt
    this.#attemptStartedAt = now
    this.#running = true
    books.counts.attempts++
    if (attempt === 1) budget.deposit(now)
    else {
      books.counts.retries++
      if (this.#context !== undefined) this.#context.retried++
    }
    let result: T | PromiseLike<T>
    try {
      result = this.#fn(new AttemptView(this, attempt))
    } catch (error) {
      this.#ended({ ok: false, error })
      return
    }
    Promise.resolve(result).then(
      (value) => this.#ended({ ok: true, value }),
      (error) => this.#ended({ ok: false, error }),
    )
  }

  #ended(end: AttemptEnd<T>): void {
    this.#running = false
    if (this.#over) this.#zombieEnded(end)
    else this.#judge(end)
  }

  #judge(end: AttemptEnd<T>): void {
    const { runtime, policy } = this.#parts
    const now = runtime.clock.now()
    const verdict = classifyEnd(end, this.#options, this.#parts)
    this.#learn(verdict, now)
    if (end.ok && (verdict.kind === 'success' || verdict.kind === 'neutral')) {
      this.#finish(now >= this.#admission.deadlineAt ? 'late' : 'completed', now)
      this.#resolve(end.value)
    } else if (policy.mode !== 'enforce') this.#fail(end, now)
    else this.#retryOrFail(end, verdict, now)
  }

  #retryOrFail(end: AttemptEnd<T>, verdict: Verdict, now: number): void {
    const { runtime, policy, budget, books } = this.#parts
    this.#backoff ??= new BackoffSequence()
    const answer = decideRetry(this.#question(verdict, now), policy.retry, this.#backoff, budget, runtime.random)
    if (answer.retry) this.#sleep(end, now, answer.delayMs)
    else {
      if (answer.why === 'budget') books.counts.budgetExhausted++
      if (this.#context !== undefined && holdsAbove(answer.why, verdict)) this.#context.retried++
      this.#fail(end, now)
    }
  }

  #question(verdict: Verdict, now: number) {
    const { breaker, policy } = this.#parts
    return {
      verdict,
      attempt: this.#attempt,
      repeatable: this.#options.idempotent === true || this.#options.idempotencyKey !== undefined,
      upperAttempt: this.#context?.attempt ?? 1,
      now,
      deadlineAt: this.#admission.deadlineAt,
      breakerOpen: policy.breaker.mode !== 'observe' && breaker.view(now) === 'open',
    }
  }

  #learn(verdict: Verdict, now: number): void {
    const { breaker, throttle, budget } = this.#parts
    const durationMs = now - this.#attemptStartedAt
    if (this.#context !== undefined) this.#context.retried += verdict.retried
    if (verdict.kind === 'success') breaker.success(this.#ticket, now, durationMs)
    else if (verdict.kind === 'failure') breaker.failure(this.#ticket, now, durationMs)
    else breaker.neutral(this.#ticket)
    throttle.record(now, verdict.kind === 'success' || verdict.kind === 'neutral')
    if (verdict.kind === 'success') budget.succeeded(now)
    else if (verdict.retryable || verdict.signal === 'stop') budget.failed(now)
  }

  #sleep(end: AttemptEnd<T>, now: number, delayMs: number): void {
    this.#scope ??= callScope()
    this.#last = end
    this.#parts.schedule.put(this, now + delayMs, now)
  }

  #wake(now: number, last: AttemptEnd<T>): void {
    const { schedule, breaker, policy } = this.#parts
    this.#last = undefined
    const ticket = breaker.tryAcquire(now)
    if (ticket === null && policy.mode === 'enforce' && policy.breaker.mode !== 'observe') {
      this.#fail(last, now)
      return
    }
    this.#ticket = ticket ?? UNTRACKED
    discardEnd(last, this.#options, this.#parts)
    schedule.put(this, this.#admission.deadlineAt, now)
    this.#inContext(() => this.#send(now))
  }

  #timeOut(now: number): void {
    const { breaker, throttle, budget, name } = this.#parts
    const durationMs = now - this.#attemptStartedAt
    if (this.#admission.cutByCaller) breaker.cutShort(this.#ticket, now, durationMs)
    else breaker.failure(this.#ticket, now, durationMs)
    throttle.record(now, false)
    budget.failed(now)
    const error = new WeirTimeout(name, now - this.#admission.now)
    this.#fail({ ok: false, error }, now)
    this.#abort(error)
  }

  #cancel(reason: unknown): void {
    const { breaker, runtime } = this.#parts
    if (this.#running) breaker.neutral(this.#ticket)
    if (this.#last !== undefined) discardEnd(this.#last, this.#options, this.#parts)
    this.#last = undefined
    this.#finish('cancelled', runtime.clock.now())
    this.#reject(reason)
    this.#abort(reason)
  }

  #fail(end: AttemptEnd<T>, now: number): void {
    this.#finish('failed', now)
    const { fallback } = this.#options
    if (fallback === undefined) {
      this.#settle(end)
      return
    }
    const answered = (value: T): void => {
      discardEnd(end, this.#options, this.#parts)
      this.#resolve(value)
    }
    const cause = end.ok ? end.value : end.error
    this.#inContext(() => runFallback(this.#parts, fallback, cause, answered, () => this.#settle(end)))
  }

  /** The books close; the slot is free unless an attempt still runs. */
  #finish(outcome: CallOutcome, now: number): void {
    const { books, schedule, slots, closed } = this.#parts
    this.#over = true
    this.#options.signal?.removeEventListener('abort', this)
    this.#context?.signal?.removeEventListener('abort', this)
    books.ended(outcome, now - this.#admission.now)
    this.#admission.sample?.end({ outcome, attempts: this.#attempt })
    schedule.remove(this)
    if (!this.#running) slots.release()
    else {
      slots.toZombie()
      if (!closed) schedule.put(this, now + ZOMBIE_MAX_MS, now)
    }
  }

  #zombieEnded(end: AttemptEnd<T>): void {
    discardEnd(end, this.#options, this.#parts)
    if (this.#lost) return
    this.#parts.schedule.remove(this)
    this.#parts.slots.releaseZombie()
  }

  #lose(): void {
    this.#lost = true
    this.#parts.books.counts.lost++
    this.#parts.slots.releaseZombie()
  }

  #abort(reason: unknown): void {
    this.#aborted = { reason }
    this.#controller?.abort(reason)
  }

  #settle(end: AttemptEnd<T>): void {
    if (end.ok) this.#resolve(end.value)
    else this.#reject(end.error)
  }

  #inContext(work: () => void): void {
    if (this.#scope === undefined) work()
    else this.#scope.runInAsyncScope(work)
  }
}

/** `AsyncLocalStorage.snapshot` does the same for twenty times the cost: it binds a function. */
const callScope = (): AsyncResource => new AsyncResource('weir.call', { requireManualDestroy: true })
