import type { HeldLease, LeaseGrant } from '@weir/policy/model'
import { QuotaLedger } from './ledger.ts'
import { leaseTiming } from './timing.ts'
import type { Before } from './unknown.ts'

export const TIMING = leaseTiming(1_000, 60_000)

/** A ledger, and agents that take every answer at once, and say so with their next question or before. Each question takes a millisecond. */
export class LedgerRig {
  readonly ledger: QuotaLedger
  nowMs: number
  readonly #held = new Map<string, HeldLease>()

  constructor(capacity: number, options: { before?: Before; nowMs?: number; epoch?: string } = {}) {
    this.nowMs = options.nowMs ?? 0
    const { before, epoch = 'first' } = options
    this.ledger = new QuotaLedger(
      { epoch, timing: TIMING, capacity, random: () => 0, ...(before ? { before } : {}) },
      this.nowMs,
    )
  }

  /** What it is granted, `null` for no news. */
  ask(agent: string, want: number, inUse = 0): number | null {
    this.nowMs++
    const held = this.#held.get(agent) ?? null
    const grant = this.ledger.ask({ agent, weight: 1, want, spare: 0, used: 0, inUse, held }, this.nowMs)
    if (grant !== null) this.#held.set(agent, heldOf(grant))
    return grant?.units ?? null
  }

  /** Everybody asks once and says at once that it obeys, then a refresh passes. */
  round(wants: Readonly<Record<string, number>>): Record<string, number | null> {
    const units: Record<string, number | null> = {}
    for (const [agent, want] of Object.entries(wants)) {
      units[agent] = this.ask(agent, want)
      this.obeys(agent)
    }
    this.nowMs += TIMING.refreshMs
    return units
  }

  held(agent: string): HeldLease | null {
    return this.#held.get(agent) ?? null
  }

  /** As of another ledger, for the next question. */
  holds(agent: string, held: HeldLease): void {
    this.#held.set(agent, held)
  }

  obeys(agent: string, inUse = 0): void {
    const held = this.#held.get(agent)
    if (held) this.ledger.obeyed(agent, held, inUse, this.nowMs)
  }

  get outstanding(): number {
    return this.ledger.figures(this.nowMs).outstanding
  }
}

const heldOf = ({ epoch, id, units, safe, lengthMs, waitMs, deadMs }: LeaseGrant): HeldLease => ({
  epoch,
  id,
  units,
  safe,
  expiresInMs: lengthMs,
  stepInMs: waitMs,
  deadInMs: deadMs,
})
