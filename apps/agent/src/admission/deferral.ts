import { CRITICALITIES, type Criticality } from '@weir/policy/model'
import type { GateReason } from '@weir/wire/model'
import type { Timers } from '../core/clock.ts'
import { DEFERRED, refusedCell } from './books.ts'
import type { Parts } from './parts.ts'
import { DEFER_FAILED, REASONS, SHORT_OF_ROOM } from './reasons.ts'
import type { RefusalTable } from './refusals.ts'
import type { Tenant } from './tenant.ts'
import type { Refusal } from './work.ts'

/** Work that is to be done later, from a durable queue. */
export interface DeferredWork {
  readonly gate: string
  /** What the host gave to `acquireOrDefer`: enough to do the work without its caller. */
  readonly payload: unknown
  readonly tenant: string
  readonly criticality: Criticality
  /** Why there is no room for it now. */
  readonly reason: GateReason
}

/** A durable queue: pg-boss, BullMQ, a table, a topic. */
export interface DeferPort {
  /**
   * Resolves once the work is durable, which is what its caller is then told: not before. Rejects, or is aborted by `signal`, where it is not; work
   * that becomes durable after an abort is done although its caller was told to come again, so it must be idempotent.
   */
  enqueue(work: DeferredWork, signal: AbortSignal): Promise<void>
}

export interface DeferOptions {
  /** Work that is being made durable at a time; more is shed. Default 100. */
  readonly maxDeferring?: number
  /** After so long without an acknowledgement it is shed as `defer-failed`, milliseconds. Default 2,000. */
  readonly withinMs?: number
}

/** Durably accepted, to be done later: HTTP 202. */
export interface Deferred {
  readonly accepted: false
  readonly deferred: true
  readonly gate: string
  readonly revision: number
}

/** Work that is being deferred in place of a refusal. Counts as deferring until it ends, by the books' words. */
export class Deferring implements Refusal {
  readonly accepted = false
  readonly gate: string
  readonly reason: GateReason
  readonly signal: Refusal['signal']
  readonly retryAfterMs: number
  readonly revision: number
  readonly tenant: Tenant
  readonly klass: number
  /** Hears once how it ended. */
  onEnd: ((end: Deferred | Refusal) => void) | undefined = undefined

  constructor(refusal: Refusal, reason: GateReason, tenant: Tenant, klass: number) {
    this.gate = refusal.gate
    this.reason = reason
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

  constructor(parts: Parts, timers: Timers) {
    this.#parts = parts
    this.#timers = timers
  }

  /** Work that is being made durable. */
  get deferring(): number {
    return this.#deferring
  }

  to(port: DeferPort | null, { maxDeferring = 100, withinMs = 2_000 }: DeferOptions): void {
    this.#port = port
    this.#maxDeferring = maxDeferring
    this.#withinMs = withinMs
  }

  /** In place of a refusal, where this one may be deferred: only for want of room, never for its tenant's share or its deadline. */
  instead(tenant: Tenant, klass: number, reason: number, refusals: RefusalTable): Deferring | null {
    if (this.#port === null || !DEFERRABLE[reason] || this.#deferring >= this.#maxDeferring) return null
    this.#deferring++
    tenant.references++
    return new Deferring(refusals.next(reason), REASONS[reason] ?? 'limit-reached', tenant, klass)
  }

  /** Makes it durable. Never rejects. */
  async enqueue(work: Deferring, payload: unknown, refusals: RefusalTable): Promise<Deferred | Refusal> {
    const { gate, reason, tenant, klass, revision } = work
    const criticality = CRITICALITIES[klass] ?? 'sheddable'
    const durable = await this.#try({ gate, payload, tenant: tenant.name, criticality, reason })
    this.#deferring--
    tenant.references--
    this.#parts.books.count(tenant, klass, durable ? DEFERRED : refusedCell(DEFER_FAILED))
    const end = durable ? ({ accepted: false, deferred: true, gate, revision } as const) : refusals.next(DEFER_FAILED)
    work.onEnd?.(end)
    return end
  }

  /** What is not yet durable is told to stop. */
  close(): void {
    for (const controller of this.#running) controller.abort()
  }

  async #try(work: DeferredWork): Promise<boolean> {
    const controller = new AbortController()
    const { promise, resolve } = Promise.withResolvers<false>()
    controller.signal.addEventListener('abort', () => resolve(false), { once: true })
    const timer = this.#timers.set(() => controller.abort(), this.#withinMs)
    this.#running.add(controller)
    try {
      return await Promise.race([promise, this.#enqueue(work, controller.signal)])
    } catch (error) {
      this.#parts.mishaps.warn(error)
      return false
    } finally {
      this.#running.delete(controller)
      this.#timers.clear(timer)
    }
  }

  async #enqueue(work: DeferredWork, signal: AbortSignal): Promise<boolean> {
    if (this.#port === null) return false
    await this.#port.enqueue(work, signal)
    return true
  }
}

/** Refused for want of room, or for its class: by number. */
const DEFERRABLE: readonly boolean[] = REASONS.map(
  (reason, number) => reason === 'class-shed' || !!SHORT_OF_ROOM[number],
)
