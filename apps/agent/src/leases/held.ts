import { CLOCK_DRIFT, type HeldLease, type LeaseGrant, type LeaseTerms, usableAt } from '@weir/policy/model'
import { AFTER_EXPIRY, type AfterExpiry } from './after-expiry.ts'

interface Held extends LeaseTerms {
  readonly grant: LeaseGrant
}

/** This agent's lease of one quota. Time is tested where it is used: no timer ends a lease, so none can be late. */
export class Lease {
  #held: Held | null = null
  #after: AfterExpiry = AFTER_EXPIRY

  /** Whole units that may be used at this moment. */
  usable(nowMs: number): number {
    const held = this.#held
    if (held === null) return 0
    const { rule, holdMs } = this.#after
    if (nowMs >= held.expiresMs && rule === 'deny') return 0
    if (nowMs >= held.expiresMs && nowMs < held.expiresMs + holdMs) return held.units
    return usableAt(held, nowMs)
  }

  /** When what may be used is next another amount, if no answer comes; `Infinity`: never. */
  changesAfter(nowMs: number): number {
    if (this.#held === null) return Number.POSITIVE_INFINITY
    const { expiresMs, stepMs, deadMs } = this.#held
    const times = [expiresMs, expiresMs + this.#after.holdMs, stepMs, deadMs]
    return Math.min(...times.filter((atMs) => atMs > nowMs))
  }

  /** The whole that it was cut from, units; 0: there is none. */
  get quota(): number {
    return this.#held?.grant.quota ?? 0
  }

  /** Whether it has not ended. */
  runs(nowMs: number): boolean {
    return this.#held !== null && nowMs < this.#held.expiresMs
  }

  /** What becomes of it once it has ended. */
  obey(after: AfterExpiry): void {
    this.#after = after
  }

  /** A planned restart: no more than the safe capacity is used until another answer comes. */
  cap(): void {
    if (this.#held === null) return
    this.#held = { ...this.#held, units: Math.min(this.#held.units, this.#held.safe) }
  }

  /**
   * Takes an answer; one that comes after a later one is not taken. It ends that long after the question was *sent* (the control plane counts from its
   * answer, which was later), and the wait begins when it *came* (which was later than the answer); all by a margin for the drift of two clocks.
   * Returns whether less may be used than before: the control plane is told at once, so that others may have it.
   */
  take(grant: LeaseGrant, askedMs: number, nowMs: number): boolean {
    if (this.#held?.grant.epoch === grant.epoch && grant.id <= this.#held.grant.id) return false
    const before = this.usable(nowMs)
    this.#held = {
      grant,
      units: grant.units,
      safe: grant.safe,
      expiresMs: askedMs + grant.lengthMs * (1 - CLOCK_DRIFT),
      stepMs: nowMs + grant.waitMs * (1 + CLOCK_DRIFT),
      deadMs: askedMs + grant.deadMs * (1 - CLOCK_DRIFT),
    }
    return this.usable(nowMs) < before
  }

  /** What the control plane is told of it, in whole milliseconds, rounded against this agent; `null`: never had one, or may use nothing of it any more. */
  told(nowMs: number): HeldLease | null {
    if (this.#held === null || nowMs >= this.#held.deadMs) return null
    const { grant, units, safe, expiresMs, stepMs, deadMs } = this.#held
    const { epoch, id } = grant
    const longest = (untilMs: number) => Math.ceil(Math.max(0, untilMs - nowMs))
    const stepInMs = Math.floor(Math.max(0, stepMs - nowMs))
    return { epoch, id, units, safe, expiresInMs: longest(expiresMs), stepInMs, deadInMs: longest(deadMs) }
  }

  /** It is given back: nothing may be used. */
  drop(): void {
    this.#held = null
  }
}
