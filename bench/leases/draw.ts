import { type LeaseGrant, RATE_GRAINS } from '@weir/policy/model'
import { Bucket } from '../../apps/agent/src/admission/bucket.ts'
import { INPUT } from '../../apps/agent/src/admission/inputs.ts'
import { RateDemand, SlotDemand } from '../../apps/agent/src/leases/demand.ts'
import type { Lease } from '../../apps/agent/src/leases/held.ts'
import { LeasedRate } from '../../apps/agent/src/leases/rate.ts'
import type { Asked, LeaseName } from '../../apps/control-plane/src/features/leases/lease-book.ts'
import { nameOf } from './plane.ts'

/** Where a bucket puts what it has. */
const ROW = new Float64Array(Object.keys(INPUT).length)

/** Of the rate that it has, saved up at most. */
export const BURST_SECONDS = 1

/** One agent's use of one quota: the real lease and the real estimate of what it wants, under a load that is given in units. */
export class Draw {
  readonly quota: number
  readonly name: LeaseName
  readonly lease: Lease
  /** What arrives: units per second, or slots that would be taken. */
  load: number
  /** When the control plane answered with what is held, in true time; `Infinity`: nothing is held. */
  grantedMs = Number.POSITIVE_INFINITY
  readonly #bucket: Bucket
  readonly #leased: LeasedRate
  readonly #rate: RateDemand | null
  readonly #slots: SlotDemand | null
  #seenMs: number

  constructor(quota: number, kind: LeaseName['kind'], load: number, refreshMs: number, nowMs: number) {
    this.quota = quota
    this.name = nameOf(quota, kind)
    this.load = load
    this.#bucket = new Bucket({ rate: 0, burst: 0 }, nowMs)
    this.#leased = new LeasedRate({ rate: 1, burst: BURST_SECONDS }, this.#bucket)
    this.lease = this.#leased.lease
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

  /** As `Lease.take`; a rate's bucket goes on as it is. */
  take(grant: LeaseGrant, askedMs: number, nowMs: number): boolean {
    return this.#leased.take(grant, askedMs, nowMs)
  }

  /** Units of a rate that could pass at once, 1 at least where any could. */
  tokens(nowMs: number): number {
    this.#leased.settle(nowMs)
    this.#bucket.has(0, nowMs)
    this.#bucket.put(ROW)
    return ROW[INPUT.tokens] ?? 0
  }

  get inUse(): number {
    return this.#slots?.taken ?? 0
  }

  ask(nowMs: number): Asked {
    const { want, spare } = (this.#rate ?? (this.#slots as SlotDemand)).tell(nowMs)
    const units = this.#rate === null ? 1 : RATE_GRAINS
    const held = this.lease.told(nowMs)
    return { ...this.name, weight: 1, want: want * units, spare: spare * units, inUse: this.inUse, held }
  }
}
