import { CLOCK_DRIFT, type LeaseAsked, type LeaseGranted, type LeaseObeyed } from '@weir/policy/model'
import type { Random } from '@weir/testkit'
import { LeaseBook } from '../../apps/control-plane/src/features/leases/lease-book.ts'
import type { LeaseTiming } from '../../apps/control-plane/src/features/leases/timing.ts'
import type { InForce, Known } from './owner-store.ts'
import { Skew } from './skew.ts'

/** What of an agent is forwarded with each word of it. `openedMs` is when its connection began, on the clock of whoever reads it; `null`: unknown there. */
export interface Seat {
  readonly agent: string
  readonly openedMs: number | null
}

/** One replica of the control plane: the real book while it owns it, a clock of its own, and whom it takes for the owner. */
export class Replica {
  readonly name: string
  readonly clock: Skew
  readonly #timing: LeaseTiming
  readonly #random: Random
  alive = true
  /** No message between it and the store or another replica comes or goes; its agents reach it. */
  cut = false
  /** Its sockets end with it, and what is on its way to it is of an earlier life. */
  life = 0
  /** Whom it takes for the owner. */
  owner: string | null = null
  /** Books that it opened: each has an epoch of its own. */
  books = 0
  #book: LeaseBook | null = null
  #revision = 0
  #newest: InForce = { revision: 0, quotas: {} }
  #ownsUntilMs = Number.NEGATIVE_INFINITY

  constructor(name: string, timing: LeaseTiming, random: Random) {
    this.name = name
    this.clock = new Skew(random)
    this.#timing = timing
    this.#random = random
  }

  die(): void {
    this.alive = false
    this.life++
    this.#drop()
    this.owner = null
  }

  start(): void {
    this.alive = true
  }

  /**
   * It owns from when it *asked*, for less than the store gave it: by its own clock, for the store counts from later and by another. Returns whether it
   * has no book: then it reads what was before, and no earlier, for until now a book of its own may have granted to those who are new.
   */
  owns(askedMs: number, lastsMs: number, inForce: InForce, atMs: number): boolean {
    const untilMs = askedMs + lastsMs * (1 - CLOCK_DRIFT)
    if (untilMs <= this.clock.at(atMs)) return false
    this.isOwner(atMs)
    this.owner = this.name
    this.#ownsUntilMs = Math.max(this.#ownsUntilMs, untilMs)
    this.publish(inForce, atMs)
    return this.#book === null
  }

  /** `books` is what `books` was when the reading began. */
  open({ agents, largest, ...inForce }: Known, books: number, atMs: number): void {
    if (this.books !== books || this.#book !== null || this.clock.at(atMs) >= this.#ownsUntilMs) return
    const before = { agents, quotas: largest }
    const epoch = `${this.name} book ${++this.books}`
    const options = { epoch, timing: this.#timing, random: this.#random, before }
    this.#book = new LeaseBook(options, inForce.quotas, this.clock.at(atMs))
    this.#revision = inForce.revision
    this.publish(this.#newest, atMs)
  }

  ownedBy(other: string): void {
    this.owner = other
    this.#drop()
  }

  isOwner(atMs: number): boolean {
    if (this.#book !== null && this.clock.at(atMs) >= this.#ownsUntilMs) this.#drop()
    return this.#book !== null
  }

  /** What comes late is not taken; what comes before there is a book is taken then. */
  publish(inForce: InForce, atMs: number): void {
    if (inForce.revision > this.#newest.revision) this.#newest = inForce
    if (!this.isOwner(atMs) || inForce.revision <= this.#revision) return
    this.#revision = inForce.revision
    this.#book?.publish(inForce.quotas, this.clock.at(atMs))
  }

  /** `null`: it does not own the book, there is no answer. */
  ask({ agent, openedMs }: Seat, asked: readonly LeaseAsked[], atMs: number): LeaseGranted[] | null {
    if (!this.isOwner(atMs)) return null
    return this.#book?.ask(agent, asked, this.clock.at(atMs), openedMs ?? Number.NEGATIVE_INFINITY) ?? null
  }

  obeyed({ agent }: Seat, obeyed: readonly LeaseObeyed[], atMs: number): void {
    if (this.isOwner(atMs)) this.#book?.obeyed(agent, obeyed, this.clock.at(atMs))
  }

  release({ agent }: Seat, atMs: number): void {
    if (this.isOwner(atMs)) this.#book?.release(agent, this.clock.at(atMs))
  }

  #drop(): void {
    this.#book = null
    this.#ownsUntilMs = Number.NEGATIVE_INFINITY
    if (this.owner === this.name) this.owner = null
  }
}
