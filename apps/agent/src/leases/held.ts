import { CLOCK_DRIFT, type HeldLease, type LeaseGrant, type LeaseTerms, usableAt } from '@weir/policy/model'

interface Held extends LeaseTerms {
  readonly grant: LeaseGrant
}

/** This agent's lease of one quota. Time is tested where it is used: no timer ends a lease, so none can be late. */
export class Lease {
  #held: Held | null = null

  /** Whole units that may be used at this moment. */
  usable(nowMs: number): number {
    return this.#held === null ? 0 : usableAt(this.#held, nowMs)
  }

  /** When what may be used is next another amount, if no answer comes; `Infinity`: never. */
  changesAfter(nowMs: number): number {
    if (this.#held === null) return Number.POSITIVE_INFINITY
    const { expiresMs, stepMs, deadMs } = this.#held
    return Math.min(...[expiresMs, stepMs, deadMs].filter((atMs) => atMs > nowMs))
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

  /** What the control plane is told of it; `null`: never had one, or may use nothing of it any more. */
  told(nowMs: number): HeldLease | null {
    if (this.#held === null || nowMs >= this.#held.deadMs) return null
    const { grant, units, safe, expiresMs, stepMs, deadMs } = this.#held
    const left = (untilMs: number) => Math.max(0, untilMs - nowMs)
    const { epoch, id } = grant
    return { epoch, id, units, safe, expiresInMs: left(expiresMs), stepInMs: left(stepMs), deadInMs: left(deadMs) }
  }

  /** It is given back: nothing may be used. */
  drop(): void {
    this.#held = null
  }
}
