import { CRITICALITIES, type Criticality, LIMITS } from '@weir/policy/model'
import type { Sampler } from '../core/sampling.ts'
import type { Attempts } from './attempts.ts'
import { ACCEPTED, CANCELLED_WAITING, OFFERED, refusedCell, wouldCell } from './books.ts'
import type { Claims } from './claims.ts'
import { heldPermit } from './context.ts'
import type { Deferral } from './deferral.ts'
import type { Desk } from './desk.ts'
import { FreePermit, NestedPermit } from './free-permit.ts'
import type { Judge } from './judge.ts'
import type { Line } from './line.ts'
import type { Parts } from './parts.ts'
import { costOf, remainingOf } from './reading.ts'
import { LIMIT_REACHED, WAIT } from './reasons.ts'
import type { Rules } from './rules.ts'
import { gateSample, sampled } from './sampled.ts'
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
  readonly #rooms: Rooms
  #rules: Rules

  constructor(owner: object, rules: Rules, rooms: Rooms) {
    this.#owner = owner
    this.#rules = rules
    this.#rooms = rooms
  }

  obey(rules: Rules): void {
    this.#rules = rules
  }

  /** All that the host could break is read before anything is counted. The clock is asked only where a decision needs it. */
  enter(work: Work, patience: number): Entry | Promise<Entry> {
    const { mode } = this.#rules
    const { desk, sampler } = this.#rooms
    if (mode === 'off') return this.#free(work.deadlineMs)
    const held = heldPermit(this.#owner)
    if (held) return new NestedPermit(held)
    if (mode === 'observe' && desk.slots.inUse >= LIMITS.slots) return this.#free(work.deadlineMs)
    const adjustedCount = sampler.next()
    if (adjustedCount === 0) return this.#decide(work, patience)
    const criticality = wordOfClass(this.#rooms.claims.read(work))
    const { parts, line } = this.#rooms
    const state = { name: parts.name, limit: desk.limit.slots, inFlight: desk.slots.inUse, waiting: line.size }
    const sample = sampler.begin(gateSample(work, criticality, this.#rules, state, adjustedCount))
    return sampled(this.#decide(work, patience), sample)
  }

  /** A permit for work that is only fetched once there is one; `null` while there is no slot for it. Observing, the limit holds all the same. */
  pull(work: Work): Permit | null {
    const { claims, tenants, judge, parts, desk } = this.#rooms
    const klass = claims.read(work)
    const remainingMs = remainingOf(work.deadlineMs, this.#rules.policy.deadline)
    const tenant = tenants.find(work.tenant, parts.clock)
    const cost = costOf(work.cost)
    if (tenant === null || judge.verdict(tenant, klass, remainingMs, cost, false) >= 0) return null
    parts.books.countBoth(tenant, klass, OFFERED, ACCEPTED)
    const nowMs = parts.clock.now()
    tenant.take(cost, nowMs)
    return desk.start(tenant, klass, nowMs, nowMs, nowMs + remainingMs, true, work.route)
  }

  /** After a fault of ours, or for work that cannot be read: accepted under the hard ceiling, as work that names nothing. */
  enterBlind(): Entry {
    if (this.#rules.mode === 'off') return this.#free()
    const { concurrency, deadline } = this.#rules.policy
    const { tenants, claims, desk, parts } = this.#rooms
    const ceiling = Math.max(concurrency.ceiling, desk.limit.slots)
    const full = this.#rules.enforced && desk.slots.inUse >= ceiling
    if (full) return this.#refuse(tenants.none, claims.default, LIMIT_REACHED, false)
    parts.books.countBoth(tenants.none, claims.default, OFFERED, ACCEPTED)
    const nowMs = parts.clock.now()
    return desk.start(tenants.none, claims.default, nowMs, nowMs, nowMs + deadline.defaultMs, false, undefined)
  }

  #decide(work: Work, patience: number): Entry | Promise<Entry> {
    const { policy, enforced } = this.#rules
    const { parts, tenants, claims, attempts, desk, line, judge, trail } = this.#rooms
    const klass = claims.take(work)
    const remainingMs = remainingOf(work.deadlineMs, policy.deadline)
    const cost = costOf(work.cost)
    const { route, signal } = work
    if (work.caller) attempts.count(work.attempt)
    const found = tenants.find(work.tenant, parts.clock)
    const tenant = found ?? tenants.other
    if (signal?.aborted) return this.#left(tenant, klass)
    const mayWait = patience !== NOW
    const mayDefer = patience === MAY_DEFER
    const verdict = judge.verdict(found, klass, remainingMs, cost, mayWait)
    if (trail.keeps(verdict)) {
      trail.begin(verdict, tenant.name, route)
      judge.put(trail, found, klass, remainingMs, cost, mayWait)
    }
    if (verdict >= 0 && enforced) return this.#refuse(tenant, klass, verdict, mayDefer)
    const nowMs = parts.clock.now()
    const deadlineMs = nowMs + remainingMs
    if (verdict === WAIT && enforced) return line.join(tenant, klass, cost, nowMs, deadlineMs, route, signal, mayDefer)
    parts.books.countBoth(tenant, klass, OFFERED, ACCEPTED)
    if (verdict >= 0) parts.books.count(tenant, klass, wouldCell(verdict))
    else tenant.take(cost, nowMs)
    return desk.start(tenant, klass, nowMs, nowMs, deadlineMs, verdict < 0, route)
  }

  #refuse(tenant: Tenant, klass: number, reason: number, mayDefer: boolean): Refusal {
    const { books } = this.#rooms.parts
    const { refusals } = this.#rules
    const deferring = mayDefer ? this.#rooms.deferral.instead(tenant, klass, reason, refusals) : null
    if (deferring) {
      books.count(tenant, klass, OFFERED)
      return deferring
    }
    books.countBoth(tenant, klass, OFFERED, refusedCell(reason))
    return refusals.next(reason)
  }

  #left(tenant: Tenant, klass: number): Refusal {
    this.#rooms.parts.books.countBoth(tenant, klass, OFFERED, CANCELLED_WAITING)
    return this.#rules.refusals.cancelled
  }

  #free(deadlineMs?: number): Permit {
    const { clock } = this.#rooms.parts
    return new FreePermit(clock, clock.now() + remainingOf(deadlineMs, this.#rules.policy.deadline))
  }
}

export const wordOfClass = (klass: number): Criticality => CRITICALITIES[klass] ?? 'sheddable'
