import { type LeaseGranted, type LeaseObeyed, leaseKey } from '@weir/policy/model'
import { WIRE } from '@weir/wire/model'
import { LeaseDesk, type LeaseQuestion } from './desk.ts'
import type { Leased } from './leased.ts'

/** What is said of leases in one question must fit into a message, names of the longest kind too. */
const MOST_BYTES = 200_000
/** What is said of a lease beside the names of it, characters. */
const ABOUT = 320
/** Where one question does not hold them all, a lease that was not used for so long, milliseconds, is asked for no more. */
const IDLE_MS = 60_000
/** One that was not used for so many refreshes may make room: whether it is used is seen as it is asked for, every other refresh at the latest. */
const UNUSED_REFRESHES = 3
/** Each question beside the first makes all come so much later, in refreshes: eight come every other refresh, half a lease long. */
const SLOWER = 1 / 7

/** Leases that are asked for in one question. */
interface Page {
  readonly desk: LeaseDesk
  bytes: number
}

/** The leases of one process: which quotas it asks for, when, and what it makes of the answers. Pure: whoever has the connection carries the messages. */
export class Leases {
  /** Called where something should be asked sooner than was planned. */
  onHurry: () => void = () => undefined
  readonly #random: () => number
  readonly #drawn = new Map<string, { readonly leased: Leased; readonly page: Page }>()
  /** Never none. */
  #pages: readonly Page[]
  #questions = 0
  #askedMs = Number.NEGATIVE_INFINITY

  /** `refreshMs` until an answer says another. */
  constructor(refreshMs: number, random: () => number) {
    this.#random = random
    this.#pages = [this.#newPage(refreshMs)]
  }

  get refreshMs(): number {
    return this.#first.desk.refreshMs
  }

  get dueMs(): number {
    return Math.min(...this.#pages.map(({ desk }) => desk.dueMs))
  }

  /** What is asked for. */
  get all(): readonly Leased[] {
    return Array.from(this.#drawn.values(), ({ leased }) => leased)
  }

  /** Asks for one more; where there is no room, for the one that was used longest ago no more. Where all are in use it is not asked for, and has nothing. */
  add(leased: Leased, nowMs: number): void {
    this.remove(leased)
    let page = this.#pageFor(leased)
    while (page === null) {
      const idle = this.#longestIdle(this.#askedMs - UNUSED_REFRESHES * this.refreshMs) ?? leased
      this.#forget(idle, nowMs)
      if (idle === leased) return
      page = this.#pageFor(leased)
    }
    for (const drawn of leased.drawn()) page.desk.add(drawn)
    page.bytes += bytesOf(leased)
    this.#drawn.set(keyOf(leased), { leased, page })
    leased.isDrawn = true
    leased.usedMs = nowMs
    page.desk.hurry(nowMs)
    this.onHurry()
  }

  /** Whether a tenant's rate and slots fit into the only question: beyond one only what is in use is asked for. */
  hasRoomFor(names: LeasedNames): boolean {
    return this.#pages.length === 1 && fits(this.#first, 2, bytesOf(names))
  }

  /** It is not asked for any more. */
  remove(leased: Leased): void {
    if (!leased.isDrawn) return
    leased.isDrawn = false
    const page = this.#drawn.get(keyOf(leased))?.page
    this.#drawn.delete(keyOf(leased))
    if (page === undefined) return
    for (const kind of ['rate', 'slots'] as const)
      page.desk.remove({ resource: leased.resource, tenant: leased.tenant, kind })
    page.bytes -= bytesOf(leased)
    if (page.desk.size === 0 && this.#pages.length > 1) this.#pages = this.#pages.filter((each) => each !== page)
  }

  /** As `LeaseDesk.connected`. */
  connected(): void {
    for (const { desk } of this.#pages) desk.connected()
  }

  /** The question whose time it is, of several the one that waits longest: they go one at a time, for an answer that finds the socket full is lost. */
  ask(nowMs: number): LeaseQuestion | null {
    const due = this.#pages.filter(({ desk }) => desk.isDue(nowMs)).toSorted((a, b) => a.desk.dueMs - b.desk.dueMs)
    const page = due[0]
    if (page === undefined) return null
    this.#askedMs = nowMs
    const others = this.#pages.length - 1
    const question = page.desk.ask(nowMs, others === 0, 1 + SLOWER * others)
    for (const { resource, tenant, want, inUse } of question.asked) {
      const leased = this.#drawn.get(keyOf({ resource, tenant }))?.leased
      if (leased && want + inUse > 0) leased.usedMs = nowMs
    }
    if (others > 0) this.#forgetIdle(page, nowMs)
    return question
  }

  /** As `LeaseDesk.take`. */
  take(n: number, granted: readonly LeaseGranted[], nowMs: number): LeaseObeyed[] {
    return this.#pages.flatMap(({ desk }) => desk.take(n, granted, nowMs))
  }

  /** A planned restart: nothing beyond safe capacities is used until the next answers come. */
  cap(nowMs: number): void {
    for (const { leased } of this.#drawn.values()) leased.cap(nowMs)
  }

  get #first(): Page {
    return this.#pages[0] as Page
  }

  /** `null`: there is no room. */
  #pageFor(leased: Leased): Page | null {
    const [parts, bytes] = [leased.drawn().length, bytesOf(leased)]
    const found = this.#pages.find((page) => fits(page, parts, bytes))
    if (found !== undefined) return found
    if (this.#pages.length >= WIRE.leaseQuestions) return null
    const page = this.#newPage(this.refreshMs)
    this.#pages = [...this.#pages, page]
    return page
  }

  #newPage(refreshMs: number): Page {
    return { desk: new LeaseDesk(refreshMs, this.#random, () => ++this.#questions), bytes: 0 }
  }

  /** Only of leases just asked for is it known whether they were used. */
  #forgetIdle(page: Page, nowMs: number): void {
    for (const drawn of [...this.#drawn.values()])
      if (drawn.page === page && drawn.leased.usedMs < nowMs - IDLE_MS) this.#forget(drawn.leased, nowMs)
  }

  #forget(leased: Leased, nowMs: number): void {
    this.remove(leased)
    leased.drop(nowMs)
  }

  #longestIdle(beforeMs: number): Leased | null {
    let idle: Leased | null = null
    for (const { leased } of this.#drawn.values()) if (leased.usedMs < (idle?.usedMs ?? beforeMs)) idle = leased
    return idle
  }
}

type LeasedNames = Pick<Leased, 'resource' | 'tenant'>

const fits = ({ desk, bytes }: Page, moreParts: number, moreBytes: number): boolean =>
  desk.size + moreParts <= WIRE.leases && bytes + moreBytes <= MOST_BYTES

const keyOf = ({ resource, tenant }: LeasedNames): string => leaseKey({ kind: 'rate', resource, tenant })

const encoder = new TextEncoder()

const bytesOf = ({ resource, tenant }: LeasedNames): number =>
  2 * (ABOUT + resource.length + encoder.encode(JSON.stringify(tenant)).length)
