import { Conservation } from './conservation.ts'
import type { OutcomeStore } from './outcome-store.ts'
import type { Reading } from './read-metrics.ts'
import { type Rows, rollUp } from './roll-up.ts'
import { ServiceSeats } from './seats.ts'
import type { Window } from './window.ts'

/** Requests that arrive within this share one transaction. */
const GROUP_MS = 100
/** Windows that wait for their transaction; past this senders are asked to come again. */
const MAX_WAITING = 20_000
/** The same for the pieces that they are split into by time, which their rows grow with. */
const MAX_WAITING_SPREAD = 300_000

export interface IngestClock {
  now(): number
  after(delayMs: number, run: () => void): void
}

export const WALL: IngestClock = {
  now: Date.now,
  after: (delayMs, run) => void setTimeout(run, delayMs),
}

/** Counts since the start, for the control plane's own metrics. */
export interface IngestCounts {
  windows: number
  repeats: number
  refused: number
  /** Of the refused: points and spans for a service that their key does not speak for. */
  foreign: number
  /** Requests that there was no room for. */
  turnedAway: number
}

interface Waiting {
  readonly windows: readonly Window[]
  readonly spread: number
  resolve(): void
  reject(error: unknown): void
}

/**
 * Group commit: a request is answered when its windows are durable, so that nothing that was acknowledged is lost with the process; what was written
 * but not acknowledged is sent again by the agent, and dropped as a repeat.
 */
export class Ingest {
  readonly counts: IngestCounts = { windows: 0, repeats: 0, refused: 0, foreign: 0, turnedAway: 0 }
  /** Whether what comes in adds up. */
  readonly books = new Conservation()
  readonly #store: OutcomeStore
  readonly #written: (rows: Rows) => void
  readonly #clock: IngestClock
  readonly #seats = new ServiceSeats()
  #waiting: Waiting[] = []
  #waitingWindows = 0
  #waitingSpread = 0
  #planned = false

  constructor(store: OutcomeStore, written: (rows: Rows) => void, clock: IngestClock = WALL) {
    this.#store = store
    this.#written = written
    this.#clock = clock
  }

  /** Windows that wait for their transaction. */
  get waiting(): number {
    return this.#waitingWindows
  }

  /** `false`: too much waits already. Else resolves when the windows are durable, rejects when they are not. */
  take({ windows, rejections, spread }: Reading): Promise<void> | false {
    this.counts.refused += rejections.total
    this.counts.foreign += rejections.foreign
    if (windows.length === 0) return Promise.resolve()
    if (this.#waitingWindows > 0 && this.#isTooMuch(windows.length, spread)) {
      this.counts.turnedAway++
      return false
    }
    this.#waitingWindows += windows.length
    this.#waitingSpread += spread
    return new Promise((resolve, reject) => {
      this.#waiting.push({ windows, spread, resolve, reject })
      if (!this.#planned) this.#plan()
    })
  }

  #isTooMuch(windows: number, spread: number): boolean {
    return this.#waitingWindows + windows > MAX_WAITING || this.#waitingSpread + spread > MAX_WAITING_SPREAD
  }

  #plan(): void {
    this.#planned = true
    this.#clock.after(GROUP_MS, () => void this.#commit())
  }

  async #commit(): Promise<void> {
    const group = this.#waiting
    this.#waiting = []
    try {
      const distinct = new Map(group.flatMap(({ windows }) => windows.map((window) => [window.id, window] as const)))
      await this.#write([...distinct.values()], group)
      for (const each of group) each.resolve()
    } catch (error) {
      for (const each of group) each.reject(error)
    } finally {
      for (const { windows, spread } of group) {
        this.#waitingWindows -= windows.length
        this.#waitingSpread -= spread
      }
      if (this.#waiting.length > 0) this.#plan()
      else this.#planned = false
    }
  }

  async #write(windows: readonly Window[], group: readonly Waiting[]): Promise<void> {
    let fresh: readonly Window[] = []
    const now = this.#clock.now()
    const roll = (taken: readonly Window[]) => {
      fresh = taken
      return rollUp(taken, this.#seats, now)
    }
    const rows = await this.#store.write(windows, roll, now)
    const sent = group.reduce((sum, each) => sum + each.windows.length, 0)
    this.counts.windows += fresh.length
    this.counts.repeats += sent - fresh.length
    this.books.look(fresh, now)
    this.#written(rows)
  }
}
