import { DEFAULT_TENANTS, type Quota } from '@weir/policy/model'
import { type Random, type VirtualRuntime, virtualRuntime } from '@weir/testkit'
import { gatePolicy, quota, settings } from '../../../../agent/src/admission/gate.testkit.ts'
import { Gate, type GateSettings } from '../../../../agent/src/admission/gate.ts'
import { LeaseClerk } from '../../../../agent/src/lease-clerk.ts'
import { Leases } from '../../../../agent/src/leases/leases.ts'
import type { LeaseSeat } from './leases-port.ts'
import { OwnBooks } from './own-books.ts'

export const REFRESH_MS = 500
/** One way, at most. */
const TRAVEL_MS = 40
const TICK_MS = 5
const SERVICE = { serviceId: 'orders', environment: 'prod', service: 'orders' }
const TENANT = 'acme'
/** No gate is full here: only the quota refuses. */
const AMPLE = 100_000

/** Agents with the real gates, leases and clerk, under load, over the real book, on virtual time. */
export class ChangedQuota {
  readonly agents: LoadedAgent[]
  readonly books: OwnBooks
  /** When each piece of work was admitted, by any of them. */
  readonly admittedMs: number[] = []
  readonly runtime: VirtualRuntime
  #quota: Quota
  #revision = 1

  /** `loads`: units a second that each agent is offered; `lastsMs`: how long each keeps its slot. */
  private constructor(seed: number, first: Partial<Quota>, loads: readonly number[], lastsMs: number) {
    this.runtime = virtualRuntime(seed)
    this.#quota = quota(first)
    this.books = new OwnBooks({
      store: { before: async () => ({ agents: new Set(), quotas: {} }) },
      inForce: async () => ({ revision: this.#revision, quotas: { gate: { [TENANT]: this.#quota } } }),
      monotonicMs: () => this.nowMs,
      random: this.runtime.random,
      epoch: () => 'book',
      onError: (error) => {
        throw error
      },
      refreshMs: REFRESH_MS,
    })
    this.agents = loads.map((load, i) => new LoadedAgent(`agent ${i}`, load, lastsMs, this))
  }

  /** All agents have asked several times. */
  static async settled(
    seed: number,
    first: Partial<Quota>,
    loads: readonly number[],
    lastsMs = 0,
  ): Promise<ChangedQuota> {
    const world = new ChangedQuota(seed, first, loads, lastsMs)
    await world.runtime.time.run(REFRESH_MS)
    world.pass(24 * REFRESH_MS)
    return world
  }

  get nowMs(): number {
    return this.runtime.clock.now()
  }

  get random(): Random {
    return this.runtime.random
  }

  /** Units that all agents may use at this moment. */
  get usable(): number {
    return this.agents.reduce((sum, agent) => sum + agent.usable, 0)
  }

  get inForce(): GateSettings {
    const leased = { quotas: { [TENANT]: this.#quota }, tenants: DEFAULT_TENANTS }
    return settings(gatePolicy({ limit: AMPLE }), leased)
  }

  /** As a publish: the book hears of it first, then the agents. */
  async publish(next: Partial<Quota>): Promise<void> {
    this.#quota = quota(next)
    this.#revision++
    await this.books.published(SERVICE.serviceId)
    for (const agent of this.agents) this.travel(() => agent.obey())
  }

  /** Time passes; `look` sees every tick. */
  pass(ms: number, look?: () => void): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; look?.()) this.runtime.time.advance(TICK_MS)
  }

  travel(arrives: () => void): void {
    this.runtime.timers.set(arrives, this.random() * TRAVEL_MS)
  }

  /** The most that was admitted within any `windowMs` since a moment. */
  most(sinceMs: number, windowMs = 1_000): number {
    const times = this.admittedMs.filter((atMs) => atMs >= sinceMs)
    let most = 0
    for (let first = 0, last = 0; last < times.length; last++) {
      while ((times[last] ?? 0) - (times[first] ?? 0) >= windowMs) first++
      most = Math.max(most, last - first + 1)
    }
    return most
  }
}

class LoadedAgent {
  readonly #world: ChangedQuota
  readonly #leases: Leases
  readonly #gate: Gate
  #owed = 0

  constructor(name: string, perSecond: number, lastsMs: number, world: ChangedQuota) {
    const { runtime } = world
    this.#world = world
    this.#leases = new Leases(REFRESH_MS, world.random)
    const seat: LeaseSeat = { ...SERVICE, instance: name, openedMs: world.nowMs }
    const clerk = new LeaseClerk({
      leases: this.#leases,
      runtime,
      open: () => true,
      send: (message) =>
        world.travel(() => {
          if (message.type === 'obeyed') world.books.obeyed(seat, message.obeyed)
          else
            world.books.ask(
              seat,
              message.asked,
              (granted) => world.travel(() => clerk.take({ type: 'grants', n: message.n, granted })),
              message.whole,
            )
        }),
      onUncounted: () => {},
    })
    this.#gate = new Gate({ name: 'gate', runtime, settings: this.#settings })
    clerk.start()
    clerk.connected()
    const tick = () => {
      this.#owed += (perSecond * TICK_MS) / 1_000
      for (; this.#owed >= 1; this.#owed--) this.#offer(lastsMs)
      runtime.timers.set(tick, TICK_MS)
    }
    tick()
  }

  get usable(): number {
    return this.#leases.all[0]?.status(this.#world.nowMs)[0]?.usable ?? 0
  }

  obey(): void {
    this.#gate.apply(this.#settings)
  }

  get #settings(): GateSettings {
    return { ...this.#world.inForce, leases: this.#leases }
  }

  #offer(lastsMs: number): void {
    const entry = this.#gate.tryAcquire({ tenant: TENANT })
    if (!entry.accepted) return
    this.#world.admittedMs.push(this.#world.nowMs)
    if (lastsMs === 0) entry.success()
    else this.#world.runtime.timers.set(() => entry.success(), lastsMs)
  }
}
