import { type LeaseAsk, RATE_GRAINS } from '@weir/policy/model'
import { RateDemand, SlotDemand } from '../../apps/agent/src/leases/demand.ts'
import { Lease } from '../../apps/agent/src/leases/held.ts'

export type Kind = 'rate' | 'slots'

/** One agent's use of one quota: the real lease and the real estimate of what it wants, under a load that is given in units. */
export class Draw {
  readonly quota: number
  readonly lease = new Lease()
  /** What arrives: units per second, or slots that would be taken. */
  load: number
  /** When the control plane answered with what is held, in true time; `Infinity`: nothing is held. */
  grantedMs = Number.POSITIVE_INFINITY
  readonly #rate: RateDemand | null
  readonly #slots: SlotDemand | null
  #seenMs: number

  constructor(quota: number, kind: Kind, load: number, refreshMs: number, nowMs: number) {
    this.quota = quota
    this.load = load
    this.#rate = kind === 'rate' ? new RateDemand(refreshMs, nowMs) : null
    this.#slots = kind === 'slots' ? new SlotDemand(refreshMs, nowMs) : null
    this.#seenMs = nowMs
  }

  /** Lets the time up to `nowMs` pass under the load. Whether the control plane should be asked out of turn. */
  pass(nowMs: number): boolean {
    if (this.#rate !== null) {
      this.#rate.arrived((this.load * (nowMs - this.#seenMs)) / 1_000)
      this.#seenMs = nowMs
      return this.#rate.outgrown(nowMs)
    }
    const slots = this.#slots as SlotDemand
    const may = this.lease.usable(nowMs)
    const wanted = Math.round(this.load)
    // Work that runs is not killed: what is over the lease drains, a quarter at a look.
    const target = Math.min(wanted, Math.max(may, slots.taken - Math.ceil(slots.taken / 4)))
    slots.moved(target - slots.taken)
    for (let over = Math.max(0, wanted - may); over > 0; over--) slots.refused()
    return slots.outgrown(nowMs)
  }

  get inUse(): number {
    return this.#slots?.taken ?? 0
  }

  ask(agent: string, nowMs: number): LeaseAsk {
    const want = this.#rate === null ? (this.#slots as SlotDemand).tell(nowMs) : this.#rate.tell(nowMs) * RATE_GRAINS
    return { agent, weight: 1, want, inUse: this.inUse, held: this.lease.told(nowMs) }
  }
}
