import { type LeaseAsked, type LeaseName, type Quotas, RATE_GRAINS } from '@weir/policy/model'
import { EventQueue, type Random, seededRandom } from '@weir/testkit'
import { Skew } from '../../../../../bench/leases/skew.ts'
import { RateDemand } from '../../../../agent/src/leases/demand.ts'
import { LeaseDesk } from '../../../../agent/src/leases/desk.ts'
import { Lease } from '../../../../agent/src/leases/held.ts'
import type { ClaimTiming } from './claim-store.ts'
import type { LeaseSeat } from './leases-port.ts'
import { MemoryClaims } from './memory-claims.testkit.ts'
import { OwnBooks } from './own-books.ts'
import { type Letter, ReplicaPost } from './replica-post.ts'
import { SharedBooks } from './shared-books.ts'

export const RATE: LeaseName = { resource: 'shared', tenant: 'acme', kind: 'rate' }
const SERVICE = { serviceId: 'orders', environment: 'prod', service: 'orders' }
const REFRESH_MS = 500
export const CLAIMS: ClaimTiming = { claimMs: 1_500, turnMs: 375, spareMs: 1_000 }
/** A message that is this late is later than all that came after it. */
const STRAGGLER = 0.05
const STRAGGLES_MS = 5_000

export const quotasOf = (rate: number): Quotas => ({
  shared: { acme: { rate, burst: null, concurrency: null, weight: 1 } },
})

export class TestReplica {
  readonly clock: Skew
  readonly books: SharedBooks
  alive = true
  /** Neither the store of claims nor other replicas are reached; its agents and the database are. */
  cut = false

  constructor(
    readonly name: string,
    private readonly world: SharedWorld,
  ) {
    this.clock = new Skew(world.random)
    const monotonicMs = () => this.clock.at(world.nowMs)
    const own = new OwnBooks({
      store: { before: async () => ({ agents: new Set(world.known), quotas: quotasOf(world.largest) }) },
      inForce: async () => ({ revision: 1, quotas: quotasOf(world.rate) }),
      monotonicMs,
      random: world.random,
      epoch: () => `${name} ${++world.epochs}`,
      onError: (error) => {
        throw error
      },
      refreshMs: REFRESH_MS,
    })
    const post = new WorldPost(name, world)
    this.books = new SharedBooks({
      own,
      post,
      replica: name,
      timing: CLAIMS,
      store: new FarClaims(this, world),
      monotonicMs,
    })
    this.#turns()
  }

  /** All that it knows is lost. */
  die(): void {
    this.alive = false
    this.world.posts.delete(this.name)
    for (const agent of this.world.agents) if (agent.replica === this) agent.leaves()
  }

  #turns(): void {
    if (!this.alive) return
    void this.books.turn()
    this.world.in(this.clock.lasts(CLAIMS.turnMs), () => this.#turns())
  }
}

/** The store of claims, over a network. A question that was not answered within a second failed. */
class FarClaims extends MemoryClaims {
  constructor(
    private readonly replica: TestReplica,
    private readonly world: SharedWorld,
  ) {
    super(CLAIMS, () => 0)
  }

  override async claim(...question: Parameters<MemoryClaims['claim']>) {
    await this.#travel()
    const answer = await this.world.claims.claim(...question)
    await this.#travel()
    return answer
  }

  override async release(...question: Parameters<MemoryClaims['release']>) {
    await this.#travel()
    await this.world.claims.release(...question)
  }

  #travel(): Promise<void> {
    return new Promise((resolve, reject) => {
      const lost = this.replica.cut || this.world.random() < this.world.loss
      this.world.in(lost ? 1_000 : this.world.delay(), () => (lost ? reject(new Error('lost')) : resolve()))
    })
  }
}

class WorldPost extends ReplicaPost {
  constructor(
    private readonly name: string,
    private readonly world: SharedWorld,
  ) {
    super()
  }

  override send(to: string, letter: Letter): void {
    const text = JSON.stringify(letter)
    this.world.carry(this.name, to, () => this.world.posts.get(to)?.(this.name, JSON.parse(text)))
  }

  override receive(handler: (from: string, letter: Letter) => void): () => void {
    this.world.posts.set(this.name, handler)
    return () => this.world.posts.delete(this.name)
  }
}

export class TestAgent {
  readonly lease = new Lease()
  readonly #desk: LeaseDesk
  readonly #clock: Skew
  alive = true
  replica: TestReplica | null = null
  #openedMs = 0
  #connection = 0

  constructor(
    readonly name: string,
    public want: number,
    private readonly world: SharedWorld,
  ) {
    this.#clock = new Skew(world.random)
    this.#desk = new LeaseDesk(REFRESH_MS, world.random)
    this.#desk.add({ name: RATE, demand: new RateDemand(REFRESH_MS, this.#nowMs), lease: this.lease })
    this.comes()
    this.#look()
  }

  get usable(): number {
    return this.alive ? this.lease.usable(this.#nowMs) : 0
  }

  /** To any replica that is there. */
  comes(): void {
    const replicas = this.world.living
    this.replica = replicas[Math.floor(this.world.random() * replicas.length)] ?? null
    this.#connection++
    this.#openedMs = this.world.nowMs
    if (this.replica !== null) this.#desk.connected()
    else this.world.in(300, () => this.alive && this.replica === null && this.comes())
  }

  leaves(): void {
    this.#connection++
    this.replica = null
    this.world.in(this.world.random() * 1_000, () => this.alive && this.replica === null && this.comes())
  }

  /** The word that it ends; its name may come again. */
  bye(): void {
    this.alive = false
    this.world.known.delete(this.name)
    const { replica } = this
    if (replica !== null) this.#travel(() => replica.alive && replica.books.release(this.#seat(replica)))
  }

  get #nowMs(): number {
    return this.#clock.at(this.world.nowMs)
  }

  #seat(replica: TestReplica): LeaseSeat {
    return { ...SERVICE, instance: this.name, openedMs: replica.clock.at(this.#openedMs) }
  }

  #look(): void {
    if (!this.alive) return
    if (this.replica !== null && this.#desk.isDue(this.#nowMs)) this.#ask(this.replica)
    this.world.in(this.#clock.lasts(100), () => this.#look())
  }

  #ask(replica: TestReplica): void {
    const { n, asked } = this.#desk.ask(this.#nowMs)
    const wants = asked.map((each): LeaseAsked => ({ ...each, want: this.want * RATE_GRAINS, spare: 0 }))
    this.#travel(() => {
      if (!replica.alive) return
      this.world.known.add(this.name)
      replica.books.ask(this.#seat(replica), wants, (granted) => this.#travel(() => this.#take(replica, n, granted)))
    })
  }

  #take(replica: TestReplica, n: number, granted: Parameters<LeaseDesk['take']>[1]): void {
    if (!this.alive) return
    const obeyed = this.#desk.take(n, granted, this.#nowMs)
    if (obeyed.length > 0) this.#travel(() => replica.alive && replica.books.obeyed(this.#seat(replica), obeyed))
  }

  /** What is of an earlier connection does not come any more. */
  #travel(arrives: () => unknown): void {
    const connection = this.#connection
    if (this.world.random() < this.world.loss) return
    this.world.in(this.world.random() * 40, () => {
      if (this.#connection === connection) arrives()
    })
  }
}

/** Replicas with the real books and claims, agents with the real leases, on one true time; each has a clock of its own. */
export class SharedWorld {
  readonly random: Random
  readonly claims: MemoryClaims
  readonly posts = new Map<string, (from: string, letter: Letter) => void>()
  readonly replicas: TestReplica[] = []
  readonly agents: TestAgent[] = []
  /** In the database. */
  readonly known = new Set<string>()
  nowMs = 0
  epochs = 0
  loss = 0
  delayMs = 10
  /** Store of claims: by how much its clock was set. */
  setMs = 0
  readonly #events = new EventQueue<() => void>()

  constructor(
    seed: number,
    readonly rate: number,
  ) {
    this.random = seededRandom(seed)
    this.claims = new MemoryClaims(CLAIMS, () => this.nowMs + this.setMs)
  }

  get largest(): number {
    return this.rate
  }

  get living(): TestReplica[] {
    return this.replicas.filter(({ alive }) => alive)
  }

  get owner(): TestReplica | null {
    return this.living.find(({ books }) => books.claims.owns(SERVICE.serviceId)) ?? null
  }

  /** All that may be used at this moment, as a share of the quota. */
  get used(): number {
    return this.agents.reduce((sum, { usable }) => sum + usable, 0) / (this.rate * RATE_GRAINS)
  }

  start(): TestReplica {
    const replica = new TestReplica(`replica ${this.replicas.length}`, this)
    this.replicas.push(replica)
    return replica
  }

  join(want: number, name = `agent ${this.agents.length}`): TestAgent {
    const agent = new TestAgent(name, want, this)
    this.agents.push(agent)
    return agent
  }

  in(ms: number, happens: () => unknown): void {
    this.#events.put(this.nowMs + ms, () => void happens())
  }

  /** A little; now and then so late that all that was sent since came before. */
  delay(): number {
    return this.random() * (this.loss > 0 && this.random() < STRAGGLER ? STRAGGLES_MS : this.delayMs)
  }

  carry(from: string, to: string, arrives: () => void): void {
    const cut = this.replicas.some(({ name, cut }) => cut && (name === from || name === to))
    if (!cut && this.random() >= this.loss) this.in(this.delay(), arrives)
  }

  /** Runs to a moment; `look` is called after each event, and promises have settled by then. */
  async run(untilMs: number, look: () => void = () => {}): Promise<void> {
    while (this.#events.nextMs <= untilMs) {
      const due = this.#events.take()
      if (due === undefined) break
      this.nowMs = due.atMs
      due.value()
      for (let i = 0; i < SETTLES; i++) await Promise.resolve()
      look()
    }
    this.nowMs = untilMs
  }
}

/** More than any chain of promises here is long. */
const SETTLES = 24
