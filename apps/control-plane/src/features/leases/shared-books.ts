import type { LeaseAsked, LeaseGranted, LeaseName, LeaseObeyed } from '@weir/policy/model'
import { BookClaims, type BookClaimsParts } from './book-claims.ts'
import type { LeaseShare } from './figures.ts'
import { type LeaseFigures, type LeaseSeat, Leases, type SharesPage } from './leases-port.ts'
import type { OwnBooks } from './own-books.ts'
import type { Letter, PostedSeat, ReplicaPost } from './replica-post.ts'

/** An answer of another replica that has not come by then does not come. */
const ANSWER_MS = 3_000
/** A book that is needed and not claimed is so sooner than its turn comes, but no more often than this. */
const SOON_MS = 100
/** Open questions; more are not forwarded. */
const MOST_OPEN = 50_000

/** Agents of one book whose connections are remembered; of those that asked least lately nothing but questions is heard. */
const MOST_SEATS = 50_000

/** A question to another replica. `settle` takes its answer; `null`: there is none. */
interface Open {
  readonly sinceMs: number
  settle(answer: Letter | null): void
}

type Asked = Pick<Extract<Letter, { kind: 'ask' }>, 'asked' | 'whole'>

export interface SharedBooksParts extends Omit<BookClaimsParts, 'lost'> {
  readonly own: OwnBooks
  readonly post: ReplicaPost
}

/**
 * The books of all replicas: each is kept by the replica that owns it, the others forward to it what their agents say, and carry back what it answers. What
 * gets lost between them is a lost message, which the agents stand. Who owns a book grants for as long as its claim lasts by its own clock, and no longer.
 */
export class SharedBooks extends Leases {
  readonly claims: BookClaims
  readonly #parts: SharedBooksParts
  readonly #open = new Map<number, Open>()
  /** For a book without a known owner, of each agent its newest question: until the next turn says whose it is. */
  readonly #waiting = new Map<string, Map<string, () => void>>()
  /** Of each book here, the connection that each agent asked from last: what an older one says late is of an agent that has begun anew. */
  readonly #seats = new Map<string, Map<string, string>>()
  readonly #endPost: () => void
  #letters = 0

  constructor(parts: SharedBooksParts) {
    super()
    this.#parts = parts
    this.claims = new BookClaims({ ...parts, lost: (book) => this.#lost(book) })
    this.#endPost = parts.post.receive((from, letter) => this.#receive(from, letter))
  }

  override ask(
    seat: LeaseSeat,
    asked: readonly LeaseAsked[],
    reply: (granted: readonly LeaseGranted[]) => void,
    whole = true,
  ): void {
    if (this.#route(seat, { asked, whole }, reply)) return
    const waiting = this.#waiting.get(seat.serviceId) ?? new Map<string, () => void>()
    this.#waiting.set(
      seat.serviceId,
      waiting.set(seat.instance, () => void this.#route(seat, { asked, whole }, reply)),
    )
    if (this.claims.sinceTurnMs > SOON_MS) void this.turn()
  }

  override obeyed(seat: LeaseSeat, obeyed: readonly LeaseObeyed[]): void {
    const owner = this.claims.ownerOf(seat.serviceId)
    if (owner === this.#parts.replica) this.#obeyedHere(this.#here(seat), seat, obeyed)
    else if (owner !== null) this.#parts.post.send(owner, { kind: 'obeyed', seat: posted(seat), obeyed })
  }

  override release(seat: LeaseSeat): void {
    this.#waiting.get(seat.serviceId)?.delete(seat.instance)
    const owner = this.claims.ownerOf(seat.serviceId)
    if (owner === this.#parts.replica) this.#releaseHere(this.#here(seat), seat)
    else if (owner !== null) this.#parts.post.send(owner, { kind: 'release', seat: posted(seat) })
  }

  override published(serviceId: string): Promise<void> {
    return this.#parts.own.published(serviceId)
  }

  override figures(serviceId: string): Promise<LeaseFigures | null> {
    const owner = this.claims.ownerOf(serviceId)
    if (owner === this.#parts.replica) return this.#parts.own.figures(serviceId)
    if (owner === null) return Promise.resolve(null)
    return new Promise((resolve) =>
      this.#question(
        owner,
        (n) => ({ kind: 'ask-figures', n, serviceId }),
        (answer) => resolve(answer?.kind === 'figures' ? answer.figures : null),
      ),
    )
  }

  override shares(serviceId: string, name: LeaseName, page: SharesPage): Promise<LeaseShare[] | null> {
    const owner = this.claims.ownerOf(serviceId)
    if (owner === this.#parts.replica) return this.#parts.own.shares(serviceId, name, page)
    if (owner === null) return Promise.resolve(null)
    return new Promise((resolve) =>
      this.#question(
        owner,
        (n) => ({ kind: 'ask-shares', n, serviceId, name, page }),
        (answer) => resolve(answer?.kind === 'shares' ? answer.shares : null),
      ),
    )
  }

  override beat(): void {
    this.#parts.own.beat()
  }

  /** Every `turnMs`: renews claims, and gives up on answers that do not come. */
  async turn(): Promise<void> {
    await this.claims.turn()
    const nowMs = this.#parts.monotonicMs()
    for (const [n, open] of this.#open) {
      if (nowMs - open.sinceMs <= ANSWER_MS) break
      this.#open.delete(n)
      open.settle(null)
    }
    for (const [serviceId, waiting] of this.#waiting) {
      this.#waiting.delete(serviceId)
      if (this.claims.ownerOf(serviceId) !== null) for (const ask of waiting.values()) ask()
    }
  }

  /** A planned end: the next owner takes over at once. */
  async end(): Promise<void> {
    this.#endPost()
    await this.claims.end()
    for (const open of this.#open.values()) open.settle(null)
    this.#open.clear()
  }

  /** False: nobody is known to own the book. */
  #route(seat: LeaseSeat, { asked, whole }: Asked, reply: (granted: readonly LeaseGranted[]) => void): boolean {
    const owner = this.claims.ownerOf(seat.serviceId)
    if (owner === null) return false
    if (owner === this.#parts.replica) {
      this.#askHere(this.#here(seat), seat, { asked, whole }, reply)
      return true
    }
    this.#question(
      owner,
      (n) => ({ kind: 'ask', n, seat: posted(seat), asked, whole }),
      (answer) => {
        if (answer?.kind === 'granted') reply(answer.granted)
      },
    )
    return true
  }

  #askHere(
    connection: string,
    seat: LeaseSeat,
    { asked, whole }: Asked,
    reply: (granted: readonly LeaseGranted[]) => void,
  ): void {
    const { serviceId, instance } = seat
    const seats = this.#seats.get(serviceId) ?? new Map<string, string>()
    this.#seats.set(serviceId, seats)
    // The last one is who asked last.
    seats.delete(instance)
    seats.set(instance, connection)
    if (seats.size > MOST_SEATS) seats.delete(seats.keys().next().value ?? instance)
    // A book that is being opened answers later: perhaps when it is another one's.
    const answer = (granted: readonly LeaseGranted[]) => {
      if (this.claims.owns(serviceId)) reply(granted)
    }
    this.#parts.own.ask(seat, asked, answer, whole)
  }

  #obeyedHere(connection: string, seat: LeaseSeat, obeyed: readonly LeaseObeyed[]): void {
    if (this.#isLast(connection, seat)) this.#parts.own.obeyed(seat, obeyed)
  }

  #releaseHere(connection: string, seat: LeaseSeat): void {
    if (!this.#isLast(connection, seat)) return
    this.#seats.get(seat.serviceId)?.delete(seat.instance)
    this.#parts.own.release(seat)
  }

  #isLast(connection: string, { serviceId, instance }: LeaseSeat): boolean {
    return this.#seats.get(serviceId)?.get(instance) === connection
  }

  #here({ openedMs }: LeaseSeat): string {
    return connectionOf(this.#parts.replica, openedMs)
  }

  #receive(from: string, letter: Letter): void {
    if ('seat' in letter) {
      const { seat } = letter
      if (!this.claims.owns(seat.serviceId)) return
      // Clocks of two replicas are not compared: when its connection began is unknown here, so its safe capacity counts as in use.
      const asking: LeaseSeat = { ...seat, openedMs: Number.NEGATIVE_INFINITY }
      const connection = connectionOf(from, seat.connection)
      if (letter.kind === 'obeyed') this.#obeyedHere(connection, asking, letter.obeyed)
      else if (letter.kind === 'release') this.#releaseHere(connection, asking)
      else
        this.#askHere(connection, asking, letter, (granted) =>
          this.#parts.post.send(from, { kind: 'granted', n: letter.n, granted }),
        )
    } else if (letter.kind === 'ask-figures') void this.#answerFigures(from, letter)
    else if (letter.kind === 'ask-shares') void this.#answerShares(from, letter)
    else this.#answered(letter)
  }

  async #answerFigures(from: string, { n, serviceId }: Extract<Letter, { kind: 'ask-figures' }>): Promise<void> {
    const figures = this.claims.owns(serviceId) ? await this.#parts.own.figures(serviceId) : null
    this.#parts.post.send(from, { kind: 'figures', n, figures })
  }

  async #answerShares(
    from: string,
    { n, serviceId, name, page }: Extract<Letter, { kind: 'ask-shares' }>,
  ): Promise<void> {
    const shares = this.claims.owns(serviceId) ? await this.#parts.own.shares(serviceId, name, page) : null
    this.#parts.post.send(from, { kind: 'shares', n, shares })
  }

  #answered(letter: Extract<Letter, { n: number }>): void {
    const open = this.#open.get(letter.n)
    this.#open.delete(letter.n)
    open?.settle(letter)
  }

  /** Too many that are open are not sent. */
  #question(to: string, letter: (n: number) => Letter, settle: Open['settle']): void {
    if (this.#open.size >= MOST_OPEN) {
      settle(null)
      return
    }
    const n = ++this.#letters
    this.#open.set(n, { sinceMs: this.#parts.monotonicMs(), settle })
    this.#parts.post.send(to, letter(n))
  }

  #lost(book: string): void {
    this.#seats.delete(book)
    this.#parts.own.close(book)
  }
}

/** Of all replicas' connections. */
const connectionOf = (replica: string, connection: number): string => `${replica} ${connection}`

const posted = ({ serviceId, environment, service, instance, openedMs }: LeaseSeat): PostedSeat => ({
  serviceId,
  environment,
  service,
  instance,
  connection: openedMs,
})
