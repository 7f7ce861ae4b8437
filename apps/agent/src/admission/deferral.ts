import { CRITICALITIES, type Criticality } from '@weir/policy/model'
import type { GateReason } from '@weir/wire/model'
import type { Timers } from '../core/clock.ts'
import type { DurableQueue } from '../core/durable.ts'
import { DEFERRED, refusedCell } from './books.ts'
import type { Parts } from './parts.ts'
import { DEFER_FAILED, REASONS, SHORT_OF_ROOM } from './reasons.ts'
import type { RefusalTable } from './refusals.ts'
import { canonicalTenant, NO_TENANT, type Tenant } from './tenant.ts'
import type { Refusal } from './work.ts'

/** What is kept of work that is done later. */
export interface DeferJob {
  /** Enough to do the work without its caller. */
  readonly payload: unknown
  /**
   * The same for work that is asked for again: a queue that knows ids then keeps it once, for each gate and tenant. Left out, empty, or of a tenant
   * whose name is none: no id.
   */
  readonly id?: string | undefined
}

/** Makes the job once it was decided to defer, within the time of deferring; nothing: this work cannot be, and is refused as ever. */
export type MakeJob = (signal: AbortSignal) => DeferJob | null | undefined | Promise<DeferJob | null | undefined>

/** Work that is to be done later, from a durable queue. */
export interface DeferredWork {
  readonly gate: string
  readonly id: string | null
  readonly payload: unknown
  /** As the work names it, whether or not the gate has figures of its own for it; empty: none. */
  readonly tenant: string
  readonly criticality: Criticality
  /** Why there is no room for it now. */
  readonly reason: GateReason
}

/** Where a gate's work goes that there is no room for now. */
export type DeferPort = DurableQueue<DeferredWork>

export interface DeferOptions {
  /** Work that is being made durable at a time; more is shed. Default 100, at most 10,000. */
  readonly maxDeferring?: number
  /** After so long without an acknowledgement, the making of the job included, it is shed as `defer-failed`, milliseconds. Default 2,000, at most an hour. */
  readonly withinMs?: number
}

/** Durably accepted, to be done later: HTTP 202. */
export interface Deferred {
  readonly accepted: false
  readonly deferred: true
  readonly gate: string
  /** The job's, where it was given one. */
  readonly id: string | null
  readonly revision: number
}

/** Work that is being deferred in place of a refusal. Counts as deferring until it ends, by the books' words. */
export class Deferring implements Refusal {
  readonly accepted = false
  readonly gate: string
  readonly reason: GateReason
  /** What it is refused with where it is not deferred. */
  readonly refusal: Refusal
  /** Its reason by number. */
  readonly number: number
  readonly signal: Refusal['signal']
  readonly retryAfterMs: number
  readonly revision: number
  readonly tenant: Tenant
  readonly klass: number
  /** Hears once how it ended. */
  onEnd: ((end: Deferred | Refusal) => void) | undefined = undefined

  constructor(refusal: Refusal, reason: number, tenant: Tenant, klass: number) {
    this.refusal = refusal
    this.number = reason
    this.gate = refusal.gate
    this.reason = REASONS[reason] ?? 'limit-reached'
    this.signal = refusal.signal
    this.retryAfterMs = refusal.retryAfterMs
    this.revision = refusal.revision
    this.tenant = tenant
    this.klass = klass
  }
}

/** Defers what there is no room for: bounded in number and in time. Nothing that was acknowledged is ever taken back. */
export class Deferral {
  readonly #parts: Parts
  readonly #timers: Timers
  readonly #running = new Set<AbortController>()
  #port: DeferPort | null = null
  #maxDeferring = 0
  #withinMs = 0
  #deferring = 0
  #quietUntilMs = 0
  #closed = false

  constructor(parts: Parts, timers: Timers) {
    this.#parts = parts
    this.#timers = timers
  }

  /** Work that is being made durable. */
  get deferring(): number {
    return this.#deferring
  }

  to(port: DeferPort | null, { maxDeferring, withinMs }: DeferOptions): void {
    this.#port = port
    this.#maxDeferring = atMost(MAX_DEFERRING, maxDeferring, 100)
    this.#withinMs = atMost(MAX_WITHIN_MS, withinMs, 2_000)
  }

  /** In place of a refusal, where this one may be deferred: only for want of room, never for its tenant's share or its deadline. */
  instead(tenant: Tenant, klass: number, reason: number, refusals: RefusalTable): Deferring | null {
    if (this.#port === null || !DEFERRABLE[reason] || this.#deferring >= this.#maxDeferring) return null
    this.#deferring++
    tenant.references++
    return new Deferring(refusals.next(reason), reason, tenant, klass)
  }

  /** Makes it durable, for the tenant that it names. Never rejects. */
  async enqueue(
    work: Deferring,
    named: string | undefined,
    job: DeferJob | MakeJob,
    refusals: RefusalTable,
  ): Promise<Deferred | Refusal> {
    const { tenant, klass } = work
    const result = this.#closed ? FAILED : await this.#try(work, named, job)
    this.#deferring--
    tenant.references--
    this.#parts.books.count(tenant, klass, cellOf(work, result))
    const end = endOf(work, result, refusals)
    work.onEnd?.(end)
    return end
  }

  /** What is not yet durable is told to stop. */
  close(): void {
    this.#closed = true
    for (const controller of this.#running) controller.abort()
  }

  async #try(work: Deferring, named: string | undefined, job: DeferJob | MakeJob): Promise<Result> {
    const controller = new AbortController()
    const { promise, resolve } = Promise.withResolvers<typeof FAILED>()
    controller.signal.addEventListener('abort', () => resolve(FAILED), { once: true })
    const timer = this.#timers.set(() => controller.abort(), this.#withinMs)
    this.#running.add(controller)
    try {
      return await Promise.race([promise, this.#enqueue(work, named, job, controller.signal)])
    } catch (error) {
      this.#complain(error)
      return FAILED
    } finally {
      this.#running.delete(controller)
      this.#timers.clear(timer)
    }
  }

  async #enqueue(
    { gate, tenant, klass, reason }: Deferring,
    named: string | undefined,
    given: DeferJob | MakeJob,
    signal: AbortSignal,
  ): Promise<Result> {
    const job = typeof given === 'function' ? await given(signal) : given
    if (job === null || job === undefined) return DECLINED
    if (this.#port === null || signal.aborted) return FAILED
    const owner = ownerOf(named)
    // Those without a name are many: the id of one must not be taken for another's.
    const id = owner !== null && typeof job.id === 'string' && job.id !== '' ? job.id : null
    const criticality = CRITICALITIES[klass] ?? 'sheddable'
    await this.#port.enqueue(
      { gate, id, payload: job.payload, tenant: owner ?? tenant.name, criticality, reason },
      signal,
    )
    return { id }
  }

  /** One a second: a queue that is away fails as often as work is shed. */
  #complain(error: unknown): void {
    const nowMs = this.#parts.clock.now()
    if (nowMs < this.#quietUntilMs) return
    this.#quietUntilMs = nowMs + QUIET_MS
    this.#parts.mishaps.warn(error)
  }
}

const QUIET_MS = 1_000
const MAX_DEFERRING = 10_000
const MAX_WITHIN_MS = 3_600_000

/** What is no number from 0 up is as if it were not given. */
const atMost = (max: number, given: number | undefined, otherwise: number): number =>
  given !== undefined && given >= 0 ? Math.min(max, given) : otherwise

/** Whom work is for; `null` where that is no name. Not the account: newcomers without a place share one. */
const ownerOf = (named: unknown): string | null =>
  typeof named !== 'string' || named === NO_TENANT ? NO_TENANT : canonicalTenant(named)

/** It is not durable. */
const FAILED = 'failed'
/** The host says that it cannot be deferred. */
const DECLINED = 'declined'

/** `id`: it is durable. */
type Result = { readonly id: string | null } | typeof FAILED | typeof DECLINED

const cellOf = ({ number }: Deferring, result: Result): number => {
  if (typeof result === 'object') return DEFERRED
  return refusedCell(result === DECLINED ? number : DEFER_FAILED)
}

const endOf = ({ gate, revision, refusal }: Deferring, result: Result, refusals: RefusalTable): Deferred | Refusal => {
  if (typeof result === 'object') return { accepted: false, deferred: true, gate, id: result.id, revision }
  return result === DECLINED ? refusal : refusals.next(DEFER_FAILED)
}

/** Refused for want of room, or for its class: by number. */
const DEFERRABLE: readonly boolean[] = REASONS.map(
  (reason, number) => reason === 'class-shed' || !!SHORT_OF_ROOM[number],
)
