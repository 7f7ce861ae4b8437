import { SUM_INDEX, type SumColumn } from './columns.ts'
import { OFF_SECONDS, type SeenFlaw } from './flaw-store.ts'
import type { Tally } from './tally.ts'
import { MAX_NAMES, type Window } from './window.ts'

/** Gates whose books are followed, over all instances; past this the longest unheard instance is forgotten. */
const MAX_GATES = 100_000
/** Flaws that wait to be kept, and instances that had some; past this the oldest is forgotten. */
const MAX_FLAWS = 1_000

/** What goes in must come out or still be there: counts in, counts out, and the gauges that say what is left, in each book of a gate. */
const BOOKS = {
  arrivals: {
    in: ['offered'],
    out: ['accepted', 'deferred', 'shed', 'expired', 'cancelled_waiting'],
    left: ['waiting_integral', 'deferring_integral'],
  },
  endings: {
    in: ['accepted'],
    out: ['completed', 'late', 'failed', 'cancelled', 'abandoned'],
    left: ['active_integral'],
  },
} as const satisfies Record<string, Record<string, readonly SumColumn[]>>
type Book = keyof typeof BOOKS
const BOOK_NAMES = Object.keys(BOOKS) as readonly Book[]

/** What of one window is known of a gate. */
interface Seen {
  /** Into the book less what came out, by book. */
  readonly moved: Record<Book, number>
  /** As the gauges say at the end of the window; `null`: they do not. */
  readonly left: Record<Book, number | null>
}

interface Instance {
  readonly boot: string
  sequence: number
  /** The window that is put together: a large one comes in parts with the same end. */
  endMs: number
  seen: Map<string, Seen>
  /** What was left at the end of the last whole window, by gate. */
  left: Map<string, Record<Book, number | null>>
}

/**
 * Checks the conservation of work on what comes in: of each gate of each instance, what came in less what went out is what is more in there than a window
 * ago. Exact, for an agent reads its counts and its gauges at one moment. Where a window is missing, or it is the first, nothing is known and nothing is said.
 * The memory of this replica: an instance whose windows go to several replicas is checked by none.
 */
export class Conservation {
  readonly #instances = new Map<string, Instance>()
  /** Of all instances, those with none counted as one. */
  #gates = 0
  #flaws = new Map<string, SeenFlaw>()
  /** When instances had a flaw last, the latest last. */
  readonly #off = new Map<string, { readonly environment: string; readonly service: string; readonly atMs: number }>()

  /** Windows that are new, in the order in which they came. */
  look(windows: Iterable<Window>, nowMs: number): void {
    for (const window of windows) if (window.numbered !== null) this.#follow(window, window.numbered, nowMs)
  }

  /** What was found since the last time. */
  take(): SeenFlaw[] {
    const found = [...this.#flaws.values()]
    this.#flaws = new Map()
    return found
  }

  /** Instances whose books are off now, by environment and service. */
  off(nowMs: number): { readonly environment: string; readonly service: string }[] {
    return [...this.#off.values()].filter(({ atMs }) => nowMs - atMs <= OFF_SECONDS * 1_000)
  }

  #follow(window: Window, { boot, sequence }: { boot: string; sequence: number }, nowMs: number): void {
    const key = `${window.environment}\n${window.service}\n${window.instance}`
    let known = this.#instances.get(key)
    this.#forget(key)
    const endMs = window.stretches[0]?.endMs ?? Number.NaN
    if (known === undefined || known.boot !== boot || known.sequence + 1 !== sequence)
      known = { boot, sequence, endMs, seen: new Map(), left: new Map() }
    else if (endMs !== known.endMs) this.#close(window, known, endMs, nowMs)
    known.sequence = sequence
    for (const { startMs, endMs: end, gates } of window.stretches)
      for (const { name, total } of gates.values()) gather(known.seen, name, total, (end - startMs) / 1_000)
    // Its window does not tell them all apart.
    if (known.seen.size >= MAX_NAMES) return
    this.#instances.set(key, known)
    this.#gates += sizeOf(known)
    for (const oldest of this.#instances.keys()) {
      if (this.#gates <= MAX_GATES) break
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    const known = this.#instances.get(key)
    if (known === undefined) return
    this.#gates -= sizeOf(known)
    this.#instances.delete(key)
  }

  /** The last window is whole, for another has begun. */
  #close(window: Window, known: Instance, endMs: number, nowMs: number): void {
    const left = new Map<string, Record<Book, number | null>>()
    for (const [gate, seen] of known.seen) {
      left.set(gate, seen.left)
      const before = known.left.get(gate)
      for (const book of BOOK_NAMES) {
        const [was, is] = [before?.[book] ?? null, seen.left[book]]
        if (was !== null && is !== null && was + seen.moved[book] !== is)
          this.#tell(window, gate, book, was + seen.moved[book], is, nowMs)
      }
    }
    known.left = left
    known.seen = new Map()
    known.endMs = endMs
  }

  #tell(window: Window, gate: string, book: Book, expected: number, told: number, nowMs: number): void {
    const { environment, service, instance } = window
    const key = `${environment}\n${service}\n${instance}`
    const flawKey = `${key}\n${gate}\n${book}`
    const windows = (this.#flaws.get(flawKey)?.windows ?? 0) + 1
    putLast(this.#flaws, flawKey, { environment, service, instance, gate, book, expected, told, windows })
    putLast(this.#off, key, { environment, service, atMs: nowMs })
  }
}

const sizeOf = ({ seen, left }: Instance): number => Math.max(1, seen.size, left.size)

const putLast = <V>(map: Map<string, V>, key: string, value: V): void => {
  map.delete(key)
  map.set(key, value)
  if (map.size <= MAX_FLAWS) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

const gather = (seen: Map<string, Seen>, gate: string, { sums }: Tally, seconds: number): void => {
  const of = (columns: readonly SumColumn[]): number =>
    columns.reduce((sum, column) => sum + (sums[SUM_INDEX[column]] ?? 0), 0)
  const known = seen.get(gate) ?? { moved: { arrivals: 0, endings: 0 }, left: { arrivals: null, endings: null } }
  const heard = (sums[SUM_INDEX.gauge_seconds] ?? 0) > 0 && seconds > 0
  for (const book of BOOK_NAMES) {
    known.moved[book] += of(BOOKS[book].in) - of(BOOKS[book].out)
    if (heard) known.left[book] = Math.round(of(BOOKS[book].left) / seconds)
  }
  seen.set(gate, known)
}
