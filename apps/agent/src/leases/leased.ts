import {
  burstOf,
  type HeldLease,
  type LeaseGrant,
  type LeaseName,
  type Quota,
  type TenantsPolicy,
} from '@weir/policy/model'
import type { Clock } from '../core/clock.ts'
import { afterExpiry } from './after-expiry.ts'
import { type Demand, RateDemand, SlotDemand } from './demand.ts'
import { type Fed, LeasedRate } from './rate.ts'
import { LeasedSlots } from './slots.ts'

/** What obeys the leases of one tenant: a bucket and a number of slots; `null` = not limited. */
export interface Obeying {
  readonly bucket: Fed | null
  /** Slots that may be taken. */
  concurrency: number | null
  /** Slots that are taken. */
  readonly held: number
}

/** A leased part of a quota, and what is wanted of it. */
export interface Drawn {
  readonly name: LeaseName
  readonly demand: Demand
  readonly lease: {
    take(grant: LeaseGrant, askedMs: number, nowMs: number): boolean
    told(nowMs: number): HeldLease | null
  }
}

/** The leases of the process, of which this is one. */
export interface Among {
  readonly refreshMs: number
  add(leased: Leased, nowMs: number): void
  remove(leased: Leased): void
}

/** One that there was no room for looks again at every so many refusals: looking reads all that are in use. */
const LOOK_EVERY = 64

interface Part<D extends Demand, L extends LeasedRate | LeasedSlots> {
  readonly kind: LeaseName['kind']
  readonly demand: D
  readonly lease: L
}

/** A tenant's quota of one resource as it is leased to this process: its rate, its slots, and what is wanted of either. */
export class Leased {
  readonly resource: string
  readonly tenant: string
  /** When it was last asked for or used, as far as was looked. */
  usedMs = 0
  /** Whether it is asked for. */
  isDrawn = false
  /** When what may be used changes by itself. */
  nextMs = Number.POSITIVE_INFINITY
  rate: Part<RateDemand, LeasedRate> | null = null
  slots: Part<SlotDemand, LeasedSlots> | null = null
  readonly #obeying: Obeying
  readonly #among: Among
  #vain = 0

  constructor(resource: string, tenant: string, obeying: Obeying, among: Among) {
    this.resource = resource
    this.tenant = tenant
    this.#obeying = obeying
    this.#among = among
  }

  /** What of it is asked for. */
  drawn(): Drawn[] {
    return this.#parts().map(({ kind, demand, lease }) => ({
      name: this.#name(kind),
      demand,
      lease: {
        take: (grant, askedMs, nowMs) => {
          const shrunk = lease.take(grant, askedMs, nowMs)
          this.#changed()
          return shrunk
        },
        told: (nowMs) => lease.told(nowMs),
      },
    }))
  }

  /** What is in force; `obeying` has a bucket where there is a rate. */
  obey(quota: Quota, tenants: TenantsPolicy, nowMs: number): void {
    const { bucket } = this.#obeying
    const { rate, concurrency } = quota
    const after = afterExpiry(tenants)
    if (rate === null || bucket === null) this.rate = null
    else {
      const flow = { rate, burst: burstOf(quota) }
      this.rate ??= {
        kind: 'rate',
        demand: new RateDemand(this.#among.refreshMs, nowMs),
        lease: new LeasedRate(flow, bucket),
      }
      this.rate.lease.lease.obey(after)
      this.rate.lease.obey(flow, nowMs)
    }
    if (concurrency === null) this.slots = null
    else {
      this.slots ??= this.#slotsPart(concurrency, nowMs)
      this.slots.lease.lease.obey(after)
      this.slots.lease.obey(concurrency, nowMs)
    }
    this.#changed()
  }

  /** What may be used now, and whether by a lease that runs. */
  status(nowMs: number): (LeaseName & { readonly usable: number; readonly leased: boolean })[] {
    this.settle(nowMs)
    return this.#parts().map(({ lease: { usable, lease }, kind }) => ({
      ...this.#name(kind),
      usable,
      leased: lease.runs(nowMs),
    }))
  }

  /** Lets the time up to `nowMs` pass: called before a decision once `nextMs` has come. */
  settle(nowMs: number): void {
    for (const { lease } of this.#parts()) lease.settle(nowMs)
    this.#changed()
  }

  cap(nowMs: number): void {
    for (const { lease } of this.#parts()) lease.cap(nowMs)
    this.#changed()
  }

  drop(nowMs: number): void {
    for (const { lease } of this.#parts()) lease.drop(nowMs)
    this.#changed()
  }

  /** It is not asked for any more. */
  end(): void {
    this.#among.remove(this)
  }

  /** Work began that costs so many units, and takes a slot. */
  started(units: number): void {
    if (this.rate !== null) this.rate.demand.started(units)
    if (this.slots !== null) this.slots.demand.moved(1)
  }

  /** It gives its slot back. */
  ended(): void {
    if (this.slots !== null) this.slots.demand.moved(-1)
  }

  /** It did not start after all. */
  returned(units: number): void {
    if (this.rate !== null) this.rate.demand.started(-units)
    this.ended()
  }

  /** Work was refused for want of rate. */
  lackedRate(units: number, clock: Clock): void {
    if (this.rate !== null) this.rate.demand.refused(units)
    if (!this.isDrawn) this.#wake(clock)
  }

  /** Work was refused for want of a slot. */
  lackedSlot(clock: Clock): void {
    if (this.slots !== null) this.slots.demand.refused()
    if (!this.isDrawn) this.#wake(clock)
  }

  /** There was no room to ask for it: perhaps there is now. */
  #wake(clock: Clock): void {
    if (this.#vain++ % LOOK_EVERY === 0) this.#among.add(this, clock.now())
  }

  #slotsPart(concurrency: number, nowMs: number): Part<SlotDemand, LeasedSlots> {
    const obeying = this.#obeying
    const demand = new SlotDemand(this.#among.refreshMs, nowMs)
    demand.moved(obeying.held)
    const lease = new LeasedSlots(concurrency, (slots) => {
      obeying.concurrency = slots
    })
    return { kind: 'slots', demand, lease }
  }

  #parts(): Part<RateDemand | SlotDemand, LeasedRate | LeasedSlots>[] {
    return [this.rate, this.slots].filter((part) => part !== null)
  }

  #name(kind: LeaseName['kind']): LeaseName {
    return { resource: this.resource, tenant: this.tenant, kind }
  }

  #changed(): void {
    this.nextMs = Math.min(...this.#parts().map(({ lease }) => lease.nextMs))
  }
}
