import type { LeaseAsked, LeaseGranted, LeaseObeyed } from '@weir/policy/model'
import { settled } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { CLAIM_TIMING } from './claim-store.ts'
import type { LeaseFigures, LeaseSeat, SharesPage } from './leases-port.ts'
import { MemoryClaims } from './memory-claims.testkit.ts'
import { OwnBooks } from './own-books.ts'
import { type Letter, ReplicaPost } from './replica-post.ts'
import { RATE } from './shared-books.testkit.ts'
import { SharedBooks } from './shared-books.ts'

const SERVICE = { serviceId: 'orders', environment: 'prod', service: 'orders' }
const seat = (instance: string, openedMs = 0): LeaseSeat => ({ ...SERVICE, instance, openedMs })
const HELD = { epoch: 'e', id: 1, units: 1, safe: 1, expiresInMs: 1, stepInMs: 1, deadInMs: 1 }
const OBEYED: LeaseObeyed[] = [{ ...RATE, held: HELD, inUse: 0 }]
const ASKED: LeaseAsked[] = [{ ...RATE, want: 1, spare: 0, used: 0, inUse: 0, held: null }]
const GRANTED: LeaseGranted[] = []
const FIGURES: LeaseFigures = { refreshMs: 1, presumedDeadMs: 2, quotas: [] }

/** What reaches the books of one replica: each question waits until it is answered. */
class Heard extends OwnBooks {
  readonly asked: { readonly seat: LeaseSeat; readonly whole: boolean; answer(): void }[] = []
  readonly told: string[] = []

  override ask(seat: LeaseSeat, _: readonly LeaseAsked[], reply: (granted: LeaseGranted[]) => void, whole = true) {
    this.asked.push({ seat, whole, answer: () => reply(GRANTED) })
  }
  override obeyed({ instance, openedMs }: LeaseSeat) {
    this.told.push(`obeyed ${instance} ${openedMs}`)
  }
  override release({ instance }: LeaseSeat) {
    this.told.push(`release ${instance}`)
  }
  override close(serviceId: string) {
    this.told.push(`close ${serviceId}`)
  }
  override figures() {
    return Promise.resolve(FIGURES)
  }
  override shares(_: string, __: typeof RATE, { limit }: SharesPage) {
    return Promise.resolve(limit === 1 ? [] : null)
  }
}

/** Replicas over one store; letters arrive when `deliver` says so. */
class Town {
  nowMs = 0
  readonly store = new MemoryClaims(CLAIM_TIMING, () => this.nowMs)
  readonly letters: { readonly from: string; readonly to: string; readonly letter: Letter }[] = []
  readonly #homes = new Map<string, (from: string, letter: Letter) => void>()

  replica(name: string) {
    const { letters } = this
    const homes = this.#homes
    class Post extends ReplicaPost {
      override send(to: string, letter: Letter) {
        letters.push({ from: name, to, letter })
      }
      override receive(handler: (from: string, letter: Letter) => void) {
        homes.set(name, handler)
        return () => homes.delete(name)
      }
    }
    const monotonicMs = () => this.nowMs
    const own = new Heard({
      store: { before: async () => ({ agents: new Set(), quotas: {} }) },
      inForce: async () => null,
      monotonicMs,
      random: () => 0.5,
      epoch: () => name,
      onError: () => {},
    })
    const books = new SharedBooks({ own, post: new Post(), replica: name, store: this.store, monotonicMs })
    return { own, books }
  }

  deliver(): void {
    for (const { from, to, letter } of this.letters.splice(0)) this.#homes.get(to)?.(from, letter)
  }

  async pass(ms: number, ...books: SharedBooks[]): Promise<void> {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.nowMs += CLAIM_TIMING.turnMs
      await this.store.claim('somebody', null, [])
      for (const one of books) await one.turn()
    }
  }
}

const town = async () => {
  const place = new Town()
  const [owner, other] = [place.replica('owner'), place.replica('other')]
  owner.books.claims.ownerOf('orders')
  await place.pass(6_000, owner.books)
  other.books.claims.ownerOf('orders')
  await other.books.turn()
  return { place, owner, other }
}
/** The owner stops saying that it is: its claim runs out by its own clock. */
const OVER_MS = CLAIM_TIMING.claimMs + CLAIM_TIMING.turnMs

describe('what is forwarded to the replica that owns a book', () => {
  it('comes whole, is answered, and its safe capacity counts as in use from the start: its connection began on another clock', async () => {
    const { place, owner, other } = await town()
    const answers: string[] = []
    other.books.ask(seat('a', 70), ASKED, () => answers.push('whole'))
    other.books.ask(seat('b', 70), ASKED, () => answers.push('part'), false)
    place.deliver()
    expect(owner.own.asked.map(({ seat, whole }) => [seat.instance, seat.openedMs, whole])).toEqual([
      ['a', Number.NEGATIVE_INFINITY, true],
      ['b', Number.NEGATIVE_INFINITY, false],
    ])
    for (const { answer } of owner.own.asked) answer()
    place.deliver()
    expect(answers).toEqual(['whole', 'part'])
    other.books.obeyed(seat('a', 70), OBEYED)
    other.books.release(seat('b', 70))
    place.deliver()
    expect(owner.own.told).toEqual([`obeyed a ${Number.NEGATIVE_INFINITY}`, 'release b'])
  })

  it('is not read by a replica that owns the book no more, nor shown from what it still remembers', async () => {
    const { place, owner, other } = await town()
    other.books.ask(seat('a'), ASKED, () => {})
    other.books.obeyed(seat('a'), OBEYED)
    const shown = [other.books.figures('orders'), other.books.shares('orders', RATE, { after: null, limit: 1 })]
    place.nowMs += OVER_MS
    place.deliver()
    await settled()
    place.deliver()
    expect([owner.own.asked, owner.own.told]).toEqual([[], ['close orders']])
    expect(await Promise.all(shown)).toEqual([null, null])
  })

  it('is shown by the owner’s figures and shares while it owns', async () => {
    const { place, other } = await town()
    const shown = [other.books.figures('orders'), other.books.shares('orders', RATE, { after: null, limit: 1 })]
    place.deliver()
    await settled()
    place.deliver()
    expect(await Promise.all(shown)).toEqual([FIGURES, []])
  })

  it('is not answered by a book that opens after its owner’s time was over', async () => {
    const { place, owner, other } = await town()
    const answers: string[] = []
    owner.books.ask(seat('here'), ASKED, () => answers.push('here'))
    other.books.ask(seat('there'), ASKED, () => answers.push('there'))
    place.deliver()
    place.nowMs += OVER_MS
    for (const { answer } of owner.own.asked) answer()
    place.deliver()
    expect([owner.own.asked.length, answers]).toEqual([2, []])
  })

  it('counts only from the connection that asked last: neither an older one there, nor one of the same age elsewhere', async () => {
    const { place, owner, other } = await town()
    const third = place.replica('third')
    third.books.claims.ownerOf('orders')
    await third.books.turn()
    for (const [from, openedMs] of [
      [other, 1],
      [third, 2],
      [other, 2],
    ] as const)
      from.books.ask(seat('a', openedMs), ASKED, () => {})
    place.deliver()
    for (const [from, openedMs] of [
      [other, 1],
      [third, 2],
      [owner, 2],
    ] as const) {
      from.books.obeyed(seat('a', openedMs), OBEYED)
      from.books.release(seat('a', openedMs))
    }
    place.deliver()
    expect(owner.own.told).toEqual([])
    other.books.obeyed(seat('a', 2), OBEYED)
    other.books.release(seat('a', 2))
    other.books.release(seat('a', 2))
    place.deliver()
    expect(owner.own.told).toEqual([`obeyed a ${Number.NEGATIVE_INFINITY}`, 'release a'])
  })

  it('and was asked before a replica lost the book and has it again counts for nothing', async () => {
    const { place, owner, other } = await town()
    other.books.ask(seat('a'), ASKED, () => {})
    place.deliver()
    place.nowMs += OVER_MS
    expect(owner.books.claims.owns('orders')).toBe(false)
    await place.pass(12_000, owner.books)
    expect(owner.books.claims.owns('orders')).toBe(true)
    await other.books.turn()
    other.books.obeyed(seat('a'), OBEYED)
    place.deliver()
    expect(owner.own.told).toEqual(['close orders'])
  })

  it('and is not answered within three seconds is given up, once; so is all at the end', async () => {
    const { place, owner, other } = await town()
    let answered = 0
    const figures = other.books.figures('orders')
    other.books.ask(seat('a'), ASKED, () => answered++)
    const late = place.letters.splice(0)
    await place.pass(3_750, owner.books, other.books)
    expect(await figures).toBeNull()
    place.letters.push(...late)
    place.deliver()
    for (const { answer } of owner.own.asked) answer()
    place.deliver()
    expect(answered).toBe(0)
    const more = other.books.figures('orders')
    await other.books.end()
    expect(await more).toBeNull()
  })

  it('is answered once, though the answer comes twice', async () => {
    const { place, owner, other } = await town()
    let answered = 0
    other.books.ask(seat('a'), ASKED, () => answered++)
    place.deliver()
    for (const _ of [1, 2]) owner.own.asked[0]?.answer()
    place.deliver()
    expect(answered).toBe(1)
  })

  it('is no more than so much at a time', async () => {
    const { place, other } = await town()
    for (let n = 0; n < 50_001; n++) other.books.ask(seat('a'), ASKED, () => {})
    expect(place.letters).toHaveLength(50_000)
  })
})

describe('what is asked while nobody is known to own the book', () => {
  it('waits for the next turn, of each agent the newest only, and none of one that has ended', async () => {
    const place = new Town()
    const { own, books } = place.replica('first')
    await place.pass(6_000)
    const asks = (instance: string, openedMs: number) => books.ask(seat(instance, openedMs), ASKED, () => {})
    asks('a', 1)
    asks('a', 2)
    asks('b', 1)
    books.release(seat('b', 1))
    expect(own.asked).toEqual([])
    await books.turn()
    expect(own.asked.map(({ seat }) => [seat.instance, seat.openedMs])).toEqual([['a', 2]])
  })

  it('does not wait for the turn of the clock: it is claimed at once, though not again and again', async () => {
    const place = new Town()
    const { books } = place.replica('first')
    await place.pass(6_000)
    let claims = 0
    place.store.claim = async () => {
      claims++
      throw new Error('away')
    }
    for (let n = 0; n < 9; n++) books.ask(seat('a'), ASKED, () => {})
    await settled()
    for (let n = 0; n < 9; n++) books.ask(seat('a'), ASKED, () => {})
    await settled()
    expect(claims).toBe(1)
    place.nowMs += 101
    books.ask(seat('a'), ASKED, () => {})
    expect(claims).toBe(2)
  })
})
