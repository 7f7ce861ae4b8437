import type { LeaseAsked, LeaseGranted, LeaseName, LeaseObeyed } from '@weir/policy/model'
import type { LeaseShare } from './figures.ts'
import { LeaseBook } from './lease-book.ts'
import {
  type LeaseFigures,
  type LeaseSeat,
  type LeaseStore,
  Leases,
  type QuotasInForce,
  type SharesPage,
} from './leases-port.ts'
import { type LeaseTiming, leaseTiming } from './timing.ts'

/** How often agents ask, milliseconds; less often where a service has many when its book is opened. */
const REFRESH_MS = 2_000
const LARGE_REFRESH_MS = 5_000
const LARGE_AGENTS = 2_000
/** Of what was in force: a transaction ends, and its news arrive, later than the time that it is written with. */
const MARGIN_MS = 60_000

export interface OwnBooksParts {
  readonly store: LeaseStore
  /** `null`: nothing was published. */
  inForce(serviceId: string): Promise<QuotasInForce | null>
  monotonicMs(): number
  /** Uniform in [0, 1). */
  random(): number
  /** A name that no book ever had. */
  epoch(): string
  onError(error: unknown): void
  /** Instead of the usual one, for tests. */
  readonly refreshMs?: number | undefined
}

type Task = (book: LeaseBook, nowMs: number) => void

/** A service's book, and until it is open those that wait for it: of each agent its newest question only. */
interface Kept {
  book: LeaseBook | null
  timing: LeaseTiming
  revision: number
  readonly waiting: Map<string, Task>
}

/** The books that this process keeps: opened by the first question, closed when nobody can hold anything of them. */
export class OwnBooks extends Leases {
  readonly #parts: OwnBooksParts
  readonly #kept = new Map<string, Kept>()

  constructor(parts: OwnBooksParts) {
    super()
    this.#parts = parts
  }

  override ask(
    { serviceId, instance, openedMs }: LeaseSeat,
    asked: readonly LeaseAsked[],
    reply: (granted: readonly LeaseGranted[]) => void,
    whole = true,
  ): void {
    const task: Task = (book, nowMs) => reply(book.ask(instance, asked, nowMs, openedMs, whole))
    const kept = this.#kept.get(serviceId) ?? this.#open(serviceId)
    if (kept.book === null) kept.waiting.set(instance, task)
    else task(kept.book, this.#parts.monotonicMs())
  }

  override obeyed({ serviceId, instance }: LeaseSeat, obeyed: readonly LeaseObeyed[]): void {
    this.#kept.get(serviceId)?.book?.obeyed(instance, obeyed, this.#parts.monotonicMs())
  }

  override release({ serviceId, instance }: LeaseSeat): void {
    const kept = this.#kept.get(serviceId)
    if (kept === undefined) return
    if (kept.book === null) kept.waiting.set(instance, (book, nowMs) => book.release(instance, nowMs))
    else kept.book.release(instance, this.#parts.monotonicMs())
  }

  override async published(serviceId: string): Promise<void> {
    const kept = this.#kept.get(serviceId)
    if (kept === undefined || kept.book === null) return
    try {
      const present = await this.#parts.inForce(serviceId)
      if (present === null || present.revision <= kept.revision) return
      kept.revision = present.revision
      kept.book.publish(present.quotas, this.#parts.monotonicMs())
    } catch (error) {
      this.#parts.onError(error)
    }
  }

  override async figures(serviceId: string): Promise<LeaseFigures | null> {
    const kept = this.#kept.get(serviceId)
    if (kept === undefined || kept.book === null) return null
    const { refreshMs, presumedDeadMs } = kept.timing
    return { refreshMs, presumedDeadMs, quotas: kept.book.figures(this.#parts.monotonicMs()) }
  }

  override async shares(
    serviceId: string,
    name: LeaseName,
    { after, limit }: SharesPage,
  ): Promise<LeaseShare[] | null> {
    const ledger = this.#kept.get(serviceId)?.book?.ledger(name) ?? null
    if (ledger === null) return null
    return ledger
      .shares(this.#parts.monotonicMs())
      .filter(({ agent }) => after === null || agent > after)
      .sort((a, b) => (a.agent < b.agent ? -1 : 1))
      .slice(0, limit)
  }

  /** Forgets a book: whoever keeps it next learns what it granted from the agents. */
  close(serviceId: string): void {
    this.#kept.delete(serviceId)
  }

  override beat(): void {
    const nowMs = this.#parts.monotonicMs()
    for (const [serviceId, { book }] of this.#kept) {
      book?.sweep(nowMs)
      if (book?.isOver(nowMs)) this.#kept.delete(serviceId)
    }
  }

  /** One that cannot be opened is tried again at the next question. */
  #open(serviceId: string): Kept {
    const kept: Kept = { book: null, timing: leaseTiming(REFRESH_MS), revision: -1, waiting: new Map() }
    this.#kept.set(serviceId, kept)
    this.#read(serviceId, kept).catch((error: unknown) => {
      if (this.#kept.get(serviceId) === kept) this.#kept.delete(serviceId)
      this.#parts.onError(error)
    })
    return kept
  }

  async #read(serviceId: string, kept: Kept): Promise<void> {
    const { store, random, epoch, monotonicMs } = this.#parts
    const before = await store.before(serviceId, kept.timing.presumedDeadMs + MARGIN_MS)
    kept.timing = this.#timing(before.agents.size)
    const present = await this.#parts.inForce(serviceId)
    if (this.#kept.get(serviceId) !== kept) return
    const nowMs = monotonicMs()
    kept.revision = present?.revision ?? 0
    kept.book = new LeaseBook({ epoch: epoch(), timing: kept.timing, random, before }, present?.quotas ?? {}, nowMs)
    for (const task of kept.waiting.values()) task(kept.book, nowMs)
    kept.waiting.clear()
    // What was published while this read.
    await this.published(serviceId)
  }

  #timing(agents: number): LeaseTiming {
    const { refreshMs } = this.#parts
    if (refreshMs !== undefined) return leaseTiming(refreshMs)
    return leaseTiming(agents > LARGE_AGENTS ? LARGE_REFRESH_MS : REFRESH_MS, undefined, LARGE_REFRESH_MS)
  }
}
