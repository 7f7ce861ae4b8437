import type { HeldLease, LeaseAsk, LeaseGrant } from '@weir/policy/model'
import type { Random } from '@weir/testkit'
import { QuotaLedger } from '../../apps/control-plane/src/features/leases/ledger.ts'
import type { LeaseTiming } from '../../apps/control-plane/src/features/leases/timing.ts'
import type { Before } from '../../apps/control-plane/src/features/leases/unknown.ts'
import { Skew } from './skew.ts'

/** One life of the control plane: real ledgers, a clock of its own, and what a database keeps between two lives. */
export class Plane {
  readonly #timing: LeaseTiming
  readonly #random: Random
  /** Quotas, whole units. */
  readonly capacities: number[]
  /** Largest of each in force up to a time. */
  readonly #former: { readonly untilMs: number; readonly units: number }[][]
  /** Agents by quota that were ever granted anything and have not given it back: kept in the database, written before the grant is sent. */
  readonly #members: Set<string>[]
  #ledgers: QuotaLedger[] = []
  #clock: Skew
  #life = 0
  up = false

  constructor(capacities: readonly number[], timing: LeaseTiming, random: Random) {
    this.#timing = timing
    this.#random = random
    this.capacities = [...capacities]
    this.#members = capacities.map(() => new Set())
    this.#former = capacities.map(() => [])
    this.#clock = new Skew(random)
  }

  start(atMs: number): void {
    this.up = true
    this.#clock = new Skew(this.#random)
    const epoch = `life ${++this.#life}`
    this.#ledgers = this.capacities.map(
      (capacity, quota) =>
        new QuotaLedger(
          { epoch, timing: this.#timing, capacity, random: this.#random, before: this.#before(quota, atMs) },
          this.#clock.at(atMs),
        ),
    )
  }

  /** All memory is lost. */
  die(): void {
    this.up = false
    this.#ledgers = []
  }

  setCapacity(quota: number, units: number, atMs: number): void {
    this.#former[quota]?.push({ untilMs: atMs, units: this.capacities[quota] ?? 0 })
    this.capacities[quota] = units
    this.#ledgers[quota]?.setCapacity(units, this.#clock.at(atMs))
  }

  #before(quota: number, atMs: number): Before {
    const sinceMs = atMs - this.#timing.presumedDeadMs
    const former = (this.#former[quota] ?? []).filter(({ untilMs }) => untilMs >= sinceMs)
    const largest = Math.max(this.capacities[quota] ?? 0, ...former.map(({ units }) => units))
    return { agents: this.#members[quota] ?? new Set(), largest }
  }

  ask(quota: number, ask: LeaseAsk, openedMs: number, atMs: number): LeaseGrant | null {
    this.#members[quota]?.add(ask.agent)
    return this.#ledgers[quota]?.ask(ask, this.#clock.at(atMs), this.#clock.at(openedMs)) ?? null
  }

  obeyed(quota: number, agent: string, held: HeldLease, inUse: number, atMs: number): void {
    this.#ledgers[quota]?.obeyed(agent, held, inUse, this.#clock.at(atMs))
  }

  release(quota: number, agent: string, atMs: number): void {
    this.#members[quota]?.delete(agent)
    this.#ledgers[quota]?.release(agent, this.#clock.at(atMs))
  }
}
