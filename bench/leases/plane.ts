import {
  type LeaseAsked,
  type LeaseGranted,
  type LeaseName,
  type LeaseObeyed,
  type Quotas,
  RATE_GRAINS,
} from '@weir/policy/model'
import type { Random } from '@weir/testkit'
import { LeaseBook } from '../../apps/control-plane/src/features/leases/lease-book.ts'
import type { LeaseTiming } from '../../apps/control-plane/src/features/leases/timing.ts'
import { Skew } from './skew.ts'

type Kind = LeaseName['kind']

export interface SharedQuota {
  /** Whole units. */
  readonly units: number
  readonly kind: Kind
}

/** One life after another of a control plane: the real book of leases, a clock of its own, and what a database keeps between two lives. */
export class Plane {
  readonly #timing: LeaseTiming
  readonly #random: Random
  readonly #quotas: SharedQuota[]
  /** Quotas that were, until when. */
  readonly #former: { readonly untilMs: number; readonly quota: number; readonly units: number }[] = []
  /** Agents that have not ended, in the database before anything is granted to them. */
  readonly #members = new Set<string>()
  #book: LeaseBook | null = null
  #clock: Skew
  #life = 0

  constructor(quotas: readonly SharedQuota[], timing: LeaseTiming, random: Random) {
    this.#timing = timing
    this.#random = random
    this.#quotas = [...quotas]
    this.#clock = new Skew(random)
  }

  get up(): boolean {
    return this.#book !== null
  }

  get capacities(): number[] {
    return this.#quotas.map(({ units }) => units)
  }

  start(atMs: number): void {
    this.#clock = new Skew(this.#random)
    const before = { agents: this.#members, quotas: this.#largest(atMs - this.#timing.presumedDeadMs) }
    const options = { epoch: `life ${++this.#life}`, timing: this.#timing, random: this.#random, before }
    this.#book = new LeaseBook(options, published(this.#quotas), this.#clock.at(atMs))
  }

  /** All memory is lost. */
  die(): void {
    this.#book = null
  }

  setCapacity(quota: number, units: number, atMs: number): void {
    const { units: former = 0, kind = 'rate' } = this.#quotas[quota] ?? {}
    this.#former.push({ untilMs: atMs, quota, units: former })
    this.#quotas[quota] = { units, kind }
    this.#book?.publish(published(this.#quotas), this.#clock.at(atMs))
  }

  ask(agent: string, asked: readonly LeaseAsked[], openedMs: number, atMs: number): LeaseGranted[] {
    this.#members.add(agent)
    return this.#book?.ask(agent, asked, this.#clock.at(atMs), this.#clock.at(openedMs)) ?? []
  }

  obeyed(agent: string, obeyed: readonly LeaseObeyed[], atMs: number): void {
    this.#book?.obeyed(agent, obeyed, this.#clock.at(atMs))
  }

  release(agent: string, atMs: number): void {
    this.#members.delete(agent)
    this.#book?.release(agent, this.#clock.at(atMs))
  }

  #largest(sinceMs: number): Quotas {
    const largest = [...this.#quotas]
    for (const { untilMs, quota, units } of this.#former) {
      const now = largest[quota]
      if (untilMs >= sinceMs && now !== undefined && units > now.units) largest[quota] = { ...now, units }
    }
    return published(largest)
  }
}

const RESOURCE = 'shared'

export const nameOf = (quota: number, kind: Kind): LeaseName => ({ resource: RESOURCE, tenant: String(quota), kind })

/** As a policy has them. */
const published = (quotas: readonly SharedQuota[]): Quotas => ({
  [RESOURCE]: Object.fromEntries(
    quotas.map(({ units, kind }, quota) => [
      String(quota),
      {
        rate: kind === 'rate' ? units / RATE_GRAINS : null,
        burst: null,
        concurrency: kind === 'slots' ? units : null,
        weight: 1,
      },
    ]),
  ),
})
