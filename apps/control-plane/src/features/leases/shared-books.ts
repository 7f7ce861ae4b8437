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

/** A letter that this replica wants an answer to. */
type Question = Extract<Letter, { n: number }>['kind']
type Open = { readonly sinceMs: number; take(letter: Letter): void; none(): void }

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
  readonly #own: OwnBooks
  readonly #post: ReplicaPost
  readonly #replica: string
  readonly #monotonicMs: () => number
  readonly #open = new Map<number, Open>()
  /** For a book without a known owner, of each agent its newest question: until the next turn says whose it is. */
  readonly #waiting = new Map<string, Map<string, () => void>>()
  /** Of each book here, the connection that each agent asked from last: what an older one says late is of an agent that has begun anew. */
  readonly #seats = new Map<string, Map<string, string>>()
  readonly #endPost: () => void
  #letters = 0

  constructor(parts: SharedBooksParts) {
    super()
    this.#own = parts.own
    this.#post = parts.post
    this.#replica = parts.replica
    this.#monotonicMs = () => parts.monotonicMs()
    this.claims = new BookClaims({ ...parts, monotonicMs: this.#monotonicMs, lost: (book) => this.#lost(book) })
    this.#endPost = parts.post.receive((from, letter) => this.#receive(from, letter))
  }

  override ask(
    seat: LeaseSeat,
    asked: readonly LeaseAsked[],
    reply: (granted: readonly LeaseGranted[]) => void,
    whole = true,
  ): void {
    if (this.#route(seat, asked, reply, whole)) return
    const waiting = this.#waiting.get(seat.serviceId) ?? new Map<string, () => void>()
    this.#waiting.set(
      seat.serviceId,
      waiting.set(seat.instance, () => void this.#route(seat, asked, reply, whole)),
    )
    if (this.claims.sinceTurnMs > SOON_MS) void this.turn()
  }

  override obeyed(seat: LeaseSeat, obeyed: readonly LeaseObeyed[]): void {
    const owner = this.claims.ownerOf(seat.serviceId)
    if (owner === this.#replica) this.#obeyedHere(this.#replica, posted(seat), seat, obeyed)
    else if (owner !== null) this.#post.send(owner, { kind: 'obeyed', seat: posted(seat), obeyed })
  }

  override release(seat: LeaseSeat): void {
    this.#waiting.get(seat.serviceId)?.delete(seat.instance)
    const owner = this.claims.ownerOf(seat.serviceId)
    if (owner === this.#replica) this.#releaseHere(this.#replica, posted(seat), seat)
    else if (owner !== null) this.#post.send(owner, { kind: 'release', seat: posted(seat) })
  }

  override published(serviceId: string): Promise<void> {
    return this.#own.published(serviceId)
  }

  override figures(serviceId: string): Promise<LeaseFigures | null> {
    const owner = this.claims.ownerOf(serviceId)
    if (owner === this.#replica) return this.#own.figures(serviceId)
    const letter = (n: number): Letter => ({ kind: 'ask-figures', n, serviceId })
    return this.#question(owner, letter, 'figures', ({ figures }) => figures)
  }

  override shares(serviceId: string, name: LeaseName, page: SharesPage): Promise<LeaseShare[] | null> {
    const owner = this.claims.ownerOf(serviceId)
    if (owner === this.#replica) return this.#own.shares(serviceId, name, page)
    const letter = (n: number): Letter => ({ kind: 'ask-shares', n, serviceId, name, page })
    return this.#question(owner, letter, 'shares', ({ shares }) => shares)
  }

  override beat(): void {
    this.#own.beat()
  }

  /** Every `turnMs`: renews claims, and gives up on answers that do not come. */
  async turn(): Promise<void> {
    await this.claims.turn()
    const nowMs = this.#monotonicMs()
    for (const [n, open] of this.#open) {
      if (nowMs - open.sinceMs <= ANSWER_MS) break
      this.#open.delete(n)
      open.none()
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
    for (const open of this.#open.values()) open.none()
    this.#open.clear()
  }

  /** False: nobody is known to own the book. */
  #route(
    seat: LeaseSeat,
    asked: readonly LeaseAsked[],
    reply: (granted: readonly LeaseGranted[]) => void,
    whole: boolean,
  ): boolean {
    const owner = this.claims.ownerOf(seat.serviceId)
    if (owner === null) return false
    if (owner === this.#replica) {
      this.#askHere(this.#replica, posted(seat), seat, { asked, whole }, reply)
      return true
    }
    const n = this.#expect({
      sinceMs: this.#monotonicMs(),
      take: (letter) => {
        if (letter.kind === 'granted') reply(letter.granted)
      },
      none: () => {},
    })
    if (n !== null) this.#post.send(owner, { kind: 'ask', n, seat: posted(seat), asked, whole })
    return true
  }

  #askHere(
    from: string,
    seat: PostedSeat,
    asking: LeaseSeat,
    { asked, whole }: { readonly asked: readonly LeaseAsked[]; readonly whole: boolean },
    reply: (granted: readonly LeaseGranted[]) => void,
  ): void {
    const { serviceId, instance } = seat
    const seats = this.#seats.get(serviceId) ?? new Map<string, string>()
    this.#seats.set(serviceId, seats.set(instance, `${from} ${seat.connection}`))
    // A book that is being opened answers later: perhaps when it is another one's.
    const answer = (granted: readonly LeaseGranted[]) => {
      if (this.claims.owns(serviceId)) reply(granted)
    }
    this.#own.ask(asking, asked, answer, whole)
  }

  #obeyedHere(from: string, seat: PostedSeat, saying: LeaseSeat, obeyed: readonly LeaseObeyed[]): void {
    if (this.#isLast(from, seat)) this.#own.obeyed(saying, obeyed)
  }

  #releaseHere(from: string, seat: PostedSeat, saying: LeaseSeat): void {
    if (!this.#isLast(from, seat)) return
    this.#seats.get(seat.serviceId)?.delete(seat.instance)
    this.#own.release(saying)
  }

  #isLast(from: string, { serviceId, instance, connection }: PostedSeat): boolean {
    return this.#seats.get(serviceId)?.get(instance) === `${from} ${connection}`
  }

  #receive(from: string, letter: Letter): void {
    if ('seat' in letter) {
      const { seat } = letter
      if (!this.claims.owns(seat.serviceId)) return
      // Clocks of two replicas are not compared: when its connection began is unknown here, so its safe capacity counts as in use.
      const asking: LeaseSeat = { ...seat, openedMs: Number.NEGATIVE_INFINITY }
      if (letter.kind === 'obeyed') this.#obeyedHere(from, seat, asking, letter.obeyed)
      else if (letter.kind === 'release') this.#releaseHere(from, seat, asking)
      else
        this.#askHere(from, seat, asking, letter, (granted) =>
          this.#post.send(from, { kind: 'granted', n: letter.n, granted }),
        )
    } else if (letter.kind === 'ask-figures') void this.#answerFigures(from, letter)
    else if (letter.kind === 'ask-shares') void this.#answerShares(from, letter)
    else this.#answered(letter)
  }

  async #answerFigures(from: string, { n, serviceId }: Extract<Letter, { kind: 'ask-figures' }>): Promise<void> {
    const figures = this.claims.owns(serviceId) ? await this.#own.figures(serviceId) : null
    this.#post.send(from, { kind: 'figures', n, figures })
  }

  async #answerShares(
    from: string,
    { n, serviceId, name, page }: Extract<Letter, { kind: 'ask-shares' }>,
  ): Promise<void> {
    const shares = this.claims.owns(serviceId) ? await this.#own.shares(serviceId, name, page) : null
    this.#post.send(from, { kind: 'shares', n, shares })
  }

  #answered(letter: Extract<Letter, { n: number }>): void {
    const open = this.#open.get(letter.n)
    this.#open.delete(letter.n)
    open?.take(letter)
  }

  #expect(open: Open): number | null {
    if (this.#open.size >= MOST_OPEN) return null
    const n = ++this.#letters
    this.#open.set(n, open)
    return n
  }

  /** `null` where there is no answer. */
  #question<K extends Question, T>(
    owner: string | null,
    letter: (n: number) => Letter,
    kind: K,
    read: (answer: Extract<Letter, { kind: K }>) => T | null,
  ): Promise<T | null> {
    if (owner === null) return Promise.resolve(null)
    return new Promise((resolve) => {
      const n = this.#expect({
        sinceMs: this.#monotonicMs(),
        take: (answer) => resolve(answer.kind === kind ? read(answer as Extract<Letter, { kind: K }>) : null),
        none: () => resolve(null),
      })
      if (n === null) resolve(null)
      else this.#post.send(owner, letter(n))
    })
  }

  #lost(book: string): void {
    this.#seats.delete(book)
    this.#own.close(book)
  }
}

const posted = ({ serviceId, environment, service, instance, openedMs }: LeaseSeat): PostedSeat => ({
  serviceId,
  environment,
  service,
  instance,
  connection: openedMs,
})
