import { CRITICALITIES, type Criticality, LIMITS } from '@weir/policy/model'
import type { Sample, SampleInputs, Sampler } from '../core/sampling.ts'
import type { Attempts } from './attempts.ts'
import { CANCELLED_WAITING, OFFERED, refusedCell, wouldCell } from './books.ts'
import type { Claims } from './claims.ts'
import { heldPermit } from './context.ts'
import { type Deferral, Deferring } from './deferral.ts'
import type { Desk } from './desk.ts'
import { FreePermit, NestedPermit } from './free-permit.ts'
import type { Judge } from './judge.ts'
import type { Line } from './line.ts'
import type { Parts } from './parts.ts'
import { costOf, remainingOf } from './reading.ts'
import { ACCEPT, LIMIT_REACHED, WAIT } from './reasons.ts'
import type { Rules } from './rules.ts'
import { gateSample, sampled, sampleInputs } from './sampled.ts'
import type { Tenant } from './tenant.ts'
import type { Tenants } from './tenants.ts'
import type { Trail } from './trail.ts'
import type { Entry, Permit, Refusal, Work } from './work.ts'

/** The rooms that a door leads to. */
export interface Rooms {
  readonly parts: Parts
  readonly tenants: Tenants
  readonly claims: Claims
  readonly attempts: Attempts
  readonly desk: Desk
  readonly line: Line
  readonly judge: Judge
  readonly deferral: Deferral
  readonly trail: Trail
  readonly sampler: Sampler
}

/** How long work may take to be admitted. */
export const NOW = 0
/** It may wait. */
export const MAY_WAIT = 1
/** It may wait, and be deferred where it would be refused. */
export const MAY_DEFER = 2

/** Where work comes in: read, judged, booked, and led to a slot, to the queue, or away. */
export class Door {
  /** By whom permits are held. */
  readonly #owner: object
  readonly #parts: Parts
  readonly #tenants: Tenants
  readonly #claims: Claims
  readonly #attempts: Attempts
  readonly #desk: Desk
  readonly #line: Line
  readonly #judge: Judge
  readonly #deferral: Deferral
  readonly #trail: Trail
  readonly #sampler: Sampler
  #rules: Rules

  constructor(owner: object, rules: Rules, rooms: Rooms) {
    this.#owner = owner
    this.#rules = rules
    this.#parts = rooms.parts
    this.#tenants = rooms.tenants
    this.#claims = rooms.claims
    this.#attempts = rooms.attempts
    this.#desk = rooms.desk
    this.#line = rooms.line
    this.#judge = rooms.judge
    this.#deferral = rooms.deferral
    this.#trail = rooms.trail
    this.#sampler = rooms.sampler
  }

  obey(rules: Rules): void {
    this.#rules = rules
  }

  /** All that the host could break is read before anything is counted. The clock is asked only where a decision needs it. */
  enter(work: Work, patience: number): Entry | Promise<Entry> {
    const { mode, enforced } = this.#rules
    if (!enforced && mode === 'off') return this.#free(work.deadlineMs)
    const held = heldPermit(this.#owner)
    if (held) return new NestedPermit(held)
    if (!enforced && this.#desk.slots.inUse >= LIMITS.slots) return this.#free(work.deadlineMs)
    const adjustedCount = this.#sampler.next()
    return adjustedCount === 0 ? this.#decide(work, patience, null) : this.#sampled(work, patience, adjustedCount)
  }

  /** A permit for work that is only fetched once there is one; `null` while there is no slot for it. Observing, the limit holds all the same. */
  pull(work: Work): Permit | null {
    const { clock, books } = this.#parts
    const klass = this.#claims.read(work)
    const remainingMs = remainingOf(work.deadlineMs, this.#rules.policy.deadline)
    const tenant = this.#tenants.find(work.tenant, clock)
    const cost = costOf(work.cost)
    if (tenant === null || this.#judge.verdict(tenant, klass, remainingMs, cost, false) >= 0) return null
    books.countAccepted(tenant, klass)
    clock.read()
    tenant.take(cost, clock)
    return this.#desk.start(tenant, klass, remainingMs, true, work.route)
  }

  /** After a fault of ours, or for work that cannot be read: accepted under the hard ceiling, as work that names nothing. */
  enterBlind(): Entry {
    if (this.#rules.mode === 'off') return this.#free()
    const { concurrency, deadline } = this.#rules.policy
    const { none } = this.#tenants
    const klass = this.#claims.default
    const ceiling = Math.max(concurrency.ceiling, this.#desk.limit.slots)
    const full = this.#rules.enforced && this.#desk.slots.inUse >= ceiling
    if (full) return this.#refuse(none, klass, LIMIT_REACHED, false)
    this.#parts.books.countAccepted(none, klass)
    this.#parts.clock.read()
    return this.#desk.start(none, klass, deadline.defaultMs, false, undefined)
  }

  #decide(work: Work, patience: number, sample: Sample | null): Entry | Promise<Entry> {
    const { policy, enforced } = this.#rules
    const { clock, books } = this.#parts
    const klass = this.#claims.take(work)
    const remainingMs = remainingOf(work.deadlineMs, policy.deadline)
    const cost = costOf(work.cost)
    const { route, signal } = work
    if (work.caller) this.#attempts.count(work.attempt)
    const found = this.#tenants.find(work.tenant, clock)
    const tenant = found ?? this.#tenants.other
    if (signal?.aborted) return this.#left(tenant, klass)
    const mayWait = patience !== NOW
    const verdict = this.#judge.verdict(found, klass, remainingMs, cost, mayWait)
    if (this.#trail.keeps(verdict))
      this.#judge.put(this.#trail.row(verdict, tenant.name, route), found, klass, remainingMs, cost, mayWait)
    sample?.decided(sampleInputs(this.#judge, found, klass, remainingMs, cost, mayWait))
    if (verdict >= 0 && enforced) {
      const refusal = this.#refuse(tenant, klass, verdict, patience === MAY_DEFER)
      if (sample === null && this.#sampler.refusal())
        this.#tell(work, refusal, sampleInputs(this.#judge, found, klass, remainingMs, cost, mayWait))
      return refusal
    }
    // What is leased was decided by a reading of this moment.
    if (verdict !== ACCEPT || tenant.allowance.leased === null) clock.read()
    if (verdict === WAIT && enforced)
      return this.#line.join(tenant, klass, cost, remainingMs, route, signal, patience === MAY_DEFER)
    books.countAccepted(tenant, klass)
    if (verdict >= 0) books.count(tenant, klass, wouldCell(verdict))
    else tenant.take(cost, clock)
    return this.#desk.start(tenant, klass, remainingMs, verdict < 0, route)
  }

  /** As `#decide`, told as a span. */
  #sampled(work: Work, patience: number, adjustedCount: number): Entry | Promise<Entry> {
    const sample = this.#begin(work, adjustedCount)
    return sampled(this.#decide(work, patience, sample), sample)
  }

  /** A refusal that stands for none: its reasons are wanted. */
  #tell(work: Work, refusal: Refusal, inputs: SampleInputs): void {
    if (refusal instanceof Deferring) return
    const sample = this.#begin(work, 0)
    sample.decided(inputs)
    void sampled(refusal, sample)
  }

  #begin(work: Work, adjustedCount: number): Sample {
    const criticality = wordOfClass(this.#claims.read(work))
    const { slots, limit } = this.#desk
    const state = { name: this.#parts.name, limit: limit.slots, inFlight: slots.inUse, waiting: this.#line.size }
    return this.#sampler.begin(gateSample(work, criticality, this.#rules, state, adjustedCount))
  }

  #refuse(tenant: Tenant, klass: number, reason: number, mayDefer: boolean): Refusal {
    const { books } = this.#parts
    const { refusals } = this.#rules
    const deferring = mayDefer ? this.#deferral.instead(tenant, klass, reason, refusals) : null
    if (deferring) {
      books.count(tenant, klass, OFFERED)
      return deferring
    }
    books.countBoth(tenant, klass, OFFERED, refusedCell(reason))
    return refusals.next(reason)
  }

  #left(tenant: Tenant, klass: number): Refusal {
    this.#parts.books.countBoth(tenant, klass, OFFERED, CANCELLED_WAITING)
    return this.#rules.refusals.cancelled
  }

  #free(deadlineMs?: number): Permit {
    const { clock } = this.#parts
    return new FreePermit(clock, clock.now() + remainingOf(deadlineMs, this.#rules.policy.deadline))
  }
}

export const wordOfClass = (klass: number): Criticality => CRITICALITIES[klass] ?? 'sheddable'
