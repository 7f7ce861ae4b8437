import type { LeaseAsked, LeaseGranted, LeaseObeyed } from '@weir/policy/model'
import type { Random } from '@weir/testkit'
import type { LeaseTiming } from '../../apps/control-plane/src/features/leases/timing.ts'
import { OwnerStore } from './owner-store.ts'
import type { SharedQuota } from './quotas.ts'
import { Replica, type Seat } from './replica.ts'

/** What the control plane needs of the true time. */
export interface Stage {
  readonly nowMs: number
  readonly random: Random
  at(atMs: number, happens: () => void): void
}

export interface PlaneOptions {
  readonly quotas: readonly SharedQuota[]
  readonly timing: LeaseTiming
  readonly replicas: number
  /** Who owns the book says so three times within this, milliseconds. */
  readonly ownsMs: number
  /** A message between two replicas, or to the store, may take so long. */
  readonly hopMs: number
}

/** A message between replicas that is this late is later than all that came after it. */
const STRAGGLER = 0.02
const STRAGGLES_MS = 8_000
const CLAIMS_IN_A_TERM = 3

/** A control plane of several replicas over one store: one owns the book of leases, the others forward what their agents ask. */
export class Plane {
  readonly store: OwnerStore
  readonly replicas: readonly Replica[]
  /** Of each message between replicas that it is lost. */
  hopLoss = 0
  hopMs: number
  /** Messages between replicas. */
  hops = 0
  readonly #options: PlaneOptions
  readonly #stage: Stage

  constructor(options: PlaneOptions, stage: Stage) {
    const { quotas, timing, replicas, ownsMs, hopMs } = options
    this.#options = options
    this.#stage = stage
    this.hopMs = hopMs
    this.store = new OwnerStore(quotas, ownsMs, timing.presumedDeadMs, stage.random)
    this.replicas = Array.from({ length: replicas }, (_, i) => new Replica(`replica ${i}`, timing, stage.random))
    for (const replica of this.replicas) this.#live(replica)
  }

  get capacities(): number[] {
    return this.store.capacities
  }

  get living(): Replica[] {
    return this.replicas.filter(({ alive }) => alive)
  }

  /** Who owns the book at this moment. */
  get owner(): Replica | null {
    return this.living.find((replica) => replica.isOwner(this.#stage.nowMs)) ?? null
  }

  /** All that it knew is lost; it is back after `downMs`. */
  die(replica: Replica, downMs: number): void {
    replica.die()
    this.#stage.at(this.#stage.nowMs + downMs, () => {
      replica.start()
      this.#live(replica)
    })
  }

  /** The owner hears of it on its way. */
  setCapacity(quota: number, units: number): void {
    const { nowMs, random } = this.#stage
    this.store.setCapacity(quota, units, nowMs)
    for (const replica of this.living)
      this.#stage.at(nowMs + random() * this.#options.hopMs, () =>
        replica.publish(this.store.inForce, this.#stage.nowMs),
      )
  }

  /** What an agent asks at `at`, its replica; `reply` is called there, later, once or never. `openedMs` is true time. */
  ask(
    at: Replica,
    agent: string,
    openedMs: number,
    asked: readonly LeaseAsked[],
    reply: (granted: readonly LeaseGranted[], answeredMs: number) => void,
  ): void {
    if (!this.store.knows(agent)) return
    this.#toOwner(at, agent, openedMs, (owner, seat) => {
      const answeredMs = this.#stage.nowMs
      const granted = owner.ask(seat, asked, answeredMs)
      if (granted === null) return
      if (owner === at) reply(granted, answeredMs)
      else this.#hop(owner, at, () => reply(granted, answeredMs))
    })
  }

  obeyed(at: Replica, agent: string, openedMs: number, obeyed: readonly LeaseObeyed[]): void {
    this.#toOwner(at, agent, openedMs, (owner, seat) => owner.obeyed(seat, obeyed, this.#stage.nowMs))
  }

  release(at: Replica, agent: string): void {
    this.store.ended(agent)
    this.#toOwner(at, agent, 0, (owner, seat) => owner.release(seat, this.#stage.nowMs))
  }

  #toOwner(at: Replica, agent: string, openedMs: number, arrives: (owner: Replica, seat: Seat) => void): void {
    if (at.isOwner(this.#stage.nowMs)) {
      arrives(at, { agent, openedMs: at.clock.at(openedMs) })
      return
    }
    const owner = this.replicas.find(({ name }) => name === at.owner)
    if (owner !== undefined && owner !== at) this.#hop(at, owner, () => arrives(owner, { agent, openedMs: null }))
  }

  /** Says again and again that it owns, or would. */
  #live(replica: Replica): void {
    const { life } = replica
    const { ownsMs } = this.#options
    const turn = () => {
      if (replica.life !== life) return
      this.#claim(replica)
      const waitMs = (ownsMs / CLAIMS_IN_A_TERM) * (0.9 + 0.2 * this.#stage.random())
      this.#stage.at(this.#stage.nowMs + replica.clock.lasts(waitMs), turn)
    }
    turn()
  }

  #claim(replica: Replica): void {
    const askedMs = replica.clock.at(this.#stage.nowMs)
    this.#askStore(replica, () => {
      const owner = this.store.claim(replica.name, this.#stage.nowMs)
      const { inForce } = this.store
      return () => {
        if (owner !== replica.name) replica.ownedBy(owner)
        else if (replica.owns(askedMs, this.#options.ownsMs, inForce, this.#stage.nowMs)) this.#read(replica)
      }
    })
  }

  #read(replica: Replica): void {
    const { books } = replica
    this.#askStore(replica, () => {
      const known = this.store.read(this.#stage.nowMs)
      return () => replica.open(known, books, this.#stage.nowMs)
    })
  }

  #askStore(replica: Replica, ask: () => () => void): void {
    this.#hop(replica, null, () => {
      if (this.store.up) this.#hop(null, replica, ask())
    })
  }

  /** `null` is the store. What is for an earlier life does not come any more. */
  #hop(from: Replica | null, to: Replica | null, arrives: () => void): void {
    const { random, nowMs } = this.#stage
    this.hops++
    if (from?.cut === true || random() < this.hopLoss) return
    const life = to?.life
    const lateMs = this.hopLoss > 0 && random() < STRAGGLER ? STRAGGLES_MS : this.hopMs
    this.#stage.at(nowMs + random() * lateMs, () => {
      if (to === null || (to.alive && !to.cut && to.life === life)) arrives()
    })
  }
}
