import { CLOCK_DRIFT, type Quotas } from '@weir/policy/model'
import type { Random } from '@weir/testkit'
import { published, type SharedQuota } from './quotas.ts'
import { Skew } from './skew.ts'

/** Quotas in force, newest by their revision. */
export interface InForce {
  readonly revision: number
  readonly quotas: Quotas
}

/** What a replica reads before it opens a book. */
export interface Known extends InForce {
  /** Everybody who is not known to have ended. */
  readonly agents: ReadonlySet<string>
  /** Of each quota the largest of late. */
  readonly largest: Quotas
}

/** The store that all replicas share: it knows the agents and the quotas, and decides who owns the book. It keeps what it knows while it is away. */
export class OwnerStore {
  up = true
  readonly #clock: Skew
  readonly #ownsMs: number
  readonly #rememberMs: number
  readonly #members = new Set<string>()
  readonly #quotas: SharedQuota[]
  /** Quotas that were, until when. */
  readonly #former: { readonly untilMs: number; readonly quota: number; readonly units: number }[] = []
  #owner: string | null = null
  #untilMs = 0
  #revision = 1

  /** Who owns does so for `ownsMs`, unless it says so again; quotas are remembered for `rememberMs`. */
  constructor(quotas: readonly SharedQuota[], ownsMs: number, rememberMs: number, random: Random) {
    this.#clock = new Skew(random)
    this.#ownsMs = ownsMs
    this.#rememberMs = rememberMs
    this.#quotas = [...quotas]
  }

  get capacities(): number[] {
    return this.#quotas.map(({ units }) => units)
  }

  get inForce(): InForce {
    return { revision: this.#revision, quotas: published(this.#quotas) }
  }

  /** Whether it knows an agent from now on: nobody else is granted anything. False: it is away. */
  knows(agent: string): boolean {
    if (this.up) this.#members.add(agent)
    return this.#members.has(agent)
  }

  ended(agent: string): void {
    if (this.up) this.#members.delete(agent)
  }

  setCapacity(quota: number, units: number, atMs: number): void {
    const { units: former = 0, kind = 'rate' } = this.#quotas[quota] ?? {}
    this.#former.push({ untilMs: atMs, quota, units: former })
    this.#quotas[quota] = { units, kind }
    this.#revision++
  }

  /** Says who owns from now on: whoever did, or `replica` where nobody does any more. */
  claim(replica: string, atMs: number): string {
    const nowMs = this.#clock.at(atMs)
    if (this.#owner !== null && this.#owner !== replica && nowMs < this.#untilMs) return this.#owner
    this.#owner = replica
    this.#untilMs = nowMs + this.#ownsMs * (1 + CLOCK_DRIFT)
    return replica
  }

  read(atMs: number): Known {
    const largest = [...this.#quotas]
    for (const { untilMs, quota, units } of this.#former) {
      const now = largest[quota]
      if (untilMs >= atMs - this.#rememberMs && now !== undefined && units > now.units)
        largest[quota] = { ...now, units }
    }
    return { ...this.inForce, agents: new Set(this.#members), largest: published(largest) }
  }
}
