import { type LeaseGranted, type LeaseObeyed, leaseKey } from '@weir/policy/model'
import { LeaseDesk, type LeaseQuestion } from './desk.ts'
import type { Leased } from './leased.ts'

/** Leases of one process at most: what is said of them in one question must fit into a message, names of the longest kind too. */
const MOST = 500
const MOST_BYTES = 200_000
/** What is said of a lease beside the names of it, characters. */
const ABOUT = 320

/** The leases of one process: which quotas it asks for, when, and what it makes of the answers. Pure: whoever has the connection carries the messages. */
export class Leases {
  /** Called where something should be asked sooner than was planned. */
  onHurry: () => void = () => undefined
  readonly #desk: LeaseDesk
  readonly #drawn = new Map<string, Leased>()
  #parts = 0
  #bytes = 0

  /** `refreshMs` until an answer says another. */
  constructor(refreshMs: number, random: () => number) {
    this.#desk = new LeaseDesk(refreshMs, random)
  }

  get refreshMs(): number {
    return this.#desk.refreshMs
  }

  get dueMs(): number {
    return this.#desk.dueMs
  }

  /** What is asked for. */
  get all(): Iterable<Leased> {
    return this.#drawn.values()
  }

  /** Asks for one more; where there is no room, for the one that was used longest ago no more. False: all are in use. */
  add(leased: Leased, nowMs: number): boolean {
    this.remove(leased)
    while (this.#parts + leased.drawn().length > MOST || this.#bytes + bytesOf(leased) > MOST_BYTES) {
      const idle = this.#longestIdle(nowMs)
      if (idle === null) return false
      this.remove(idle)
      idle.drop(nowMs)
    }
    for (const drawn of leased.drawn()) this.#desk.add(drawn)
    this.#drawn.set(keyOf(leased), leased)
    this.#parts += leased.drawn().length
    this.#bytes += bytesOf(leased)
    leased.isDrawn = true
    leased.usedMs = nowMs
    this.hurry(nowMs)
    return true
  }

  /** Whether another could be asked for without giving one up. */
  get hasRoom(): boolean {
    return this.#parts + 2 <= MOST && this.#bytes < MOST_BYTES
  }

  /** It is not asked for any more. */
  remove(leased: Leased): void {
    if (!leased.isDrawn) return
    leased.isDrawn = false
    this.#drawn.delete(keyOf(leased))
    for (const kind of ['rate', 'slots'] as const)
      if (this.#desk.remove({ resource: leased.resource, tenant: leased.tenant, kind })) this.#parts--
    this.#bytes -= bytesOf(leased)
  }

  /** Quotas changed: asks soon. */
  hurry(nowMs: number): void {
    this.#desk.hurry(nowMs)
    this.onHurry()
  }

  /** As `LeaseDesk.connected`. */
  connected(): void {
    this.#desk.connected()
  }

  isDue(nowMs: number): boolean {
    return this.#desk.isDue(nowMs)
  }

  ask(nowMs: number): LeaseQuestion {
    const question = this.#desk.ask(nowMs)
    for (const { resource, tenant, want, inUse } of question.asked) {
      const leased = this.#drawn.get(keyOf({ resource, tenant }))
      if (leased && want + inUse > 0) leased.usedMs = nowMs
    }
    return question
  }

  /** As `LeaseDesk.take`. */
  take(n: number, granted: readonly LeaseGranted[], nowMs: number): LeaseObeyed[] {
    return this.#desk.take(n, granted, nowMs)
  }

  /** A planned restart: nothing beyond safe capacities is used until the next answers come. */
  cap(nowMs: number): void {
    for (const leased of this.#drawn.values()) leased.cap(nowMs)
  }

  /** Unused for a refresh at least. */
  #longestIdle(nowMs: number): Leased | null {
    let idle: Leased | null = null
    for (const leased of this.#drawn.values())
      if (leased.usedMs < (idle?.usedMs ?? nowMs - this.#desk.refreshMs)) idle = leased
    return idle
  }
}

const keyOf = ({ resource, tenant }: { readonly resource: string; readonly tenant: string }): string =>
  leaseKey({ kind: 'rate', resource, tenant })

const encoder = new TextEncoder()

const bytesOf = ({ resource, tenant }: Leased): number =>
  2 * (ABOUT + resource.length + encoder.encode(JSON.stringify(tenant)).length)
