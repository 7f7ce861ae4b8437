import type { LeaseName } from '@weir/policy/model'
import { Bucket } from '../../apps/agent/src/admission/bucket.ts'
import { INPUT } from '../../apps/agent/src/admission/inputs.ts'
import { type Demand, RateDemand, SlotDemand } from '../../apps/agent/src/leases/demand.ts'
import type { Drawn } from '../../apps/agent/src/leases/leased.ts'
import { LeasedRate } from '../../apps/agent/src/leases/rate.ts'
import { nameOf } from './quotas.ts'

/** Where a bucket puts what it has. */
const ROW = new Float64Array(Object.keys(INPUT).length)

/** Of the rate that it has, saved up at most. */
export const BURST_SECONDS = 1

/** One agent's use of one quota: the real lease, bucket and estimate of what it wants, under a load that is given in units. */
export class Draw implements Drawn {
  readonly quota: number
  readonly name: LeaseName
  readonly lease: LeasedRate
  readonly demand: Demand
  /** What arrives: units per second, or slots that would be taken. */
  load: number
  /** When the control plane answered with what is held, in true time; `Infinity`: nothing is held. */
  grantedMs = Number.POSITIVE_INFINITY
  readonly #bucket: Bucket
  #seenMs: number

  constructor(quota: number, kind: LeaseName['kind'], load: number, refreshMs: number, nowMs: number) {
    this.quota = quota
    this.name = nameOf(quota, kind)
    this.load = load
    this.#bucket = new Bucket({ rate: 0, burst: 0 }, nowMs)
    this.lease = new LeasedRate({ rate: 1, burst: BURST_SECONDS }, this.#bucket)
    this.demand = kind === 'rate' ? new RateDemand(refreshMs, nowMs) : new SlotDemand(refreshMs, nowMs)
    this.#seenMs = nowMs
  }

  /** Lets the time up to `nowMs` pass under the load. */
  pass(nowMs: number): void {
    const { demand } = this
    if (demand instanceof RateDemand) demand.started((this.load * (nowMs - this.#seenMs)) / 1_000)
    if (demand instanceof SlotDemand) this.#run(demand, nowMs)
    this.#seenMs = nowMs
  }

  usable(nowMs: number): number {
    return this.lease.lease.usable(nowMs)
  }

  /** Units of a rate that could pass at once, 1 at least where any could. */
  tokens(nowMs: number): number {
    this.lease.settle(nowMs)
    this.#bucket.has(0, nowMs)
    this.#bucket.put(ROW)
    return ROW[INPUT.tokens] ?? 0
  }

  /** Work that runs is not killed: what is over the lease drains, a quarter at a look. */
  #run(slots: SlotDemand, nowMs: number): void {
    const may = this.usable(nowMs)
    const wanted = Math.round(this.load)
    const runs = Math.min(wanted, Math.max(may, slots.taken - Math.ceil(slots.taken / 4)))
    slots.moved(runs - slots.taken)
    for (let over = Math.max(0, wanted - may); over > 0; over--) slots.refused()
  }
}
