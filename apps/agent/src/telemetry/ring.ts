import type { FigureSink } from '../core/figures.ts'
import type { SealedWindow } from './otlp.ts'
import { OpenWindow, type Series } from './window.ts'

/** While the control plane is away, unsent windows are merged to this length and kept for this long. */
const MERGE_MS = 10_000
const KEEP_MS = 600_000
/** Series of one export: about 2 MB of JSON, half of what the control plane takes. */
const MAX_SERIES_PER_EXPORT = 5_000

/** After a process was stopped for minutes, its window begins this long before its end: a longer one says nothing, and receivers refuse it. */
const MAX_WINDOW_MS = 60_000

interface Kept extends SealedWindow {
  readonly endMs: number
}

/** Epoch time of the monotonic clock: steps of the wall clock smaller than this are left alone, so that windows neither overlap nor gape. */
const ANCHOR_TOLERANCE_MS = 1_000

/**
 * Windows on their way out, oldest first. A window that was never sent may still take in the next one; once sent it is sealed and numbered, and stays as
 * it is until it is acknowledged: its answer may have been lost, and the receiver drops repeats by number.
 */
export class Ring {
  readonly #wall: () => number
  readonly #open: OpenWindow[] = []
  readonly #sealed: Kept[] = []
  #sequence = 0
  #collectedMs: number
  #originMs: number
  #dropped = 0

  /** `wall`: milliseconds since the epoch; `nowMs`: the monotonic clock. */
  constructor(wall: () => number, nowMs: number) {
    this.#wall = wall
    this.#collectedMs = nowMs
    this.#originMs = wall() - nowMs
  }

  /** Windows that were given up, each counted once. */
  get dropped(): number {
    return this.#dropped
  }

  get length(): number {
    return this.#open.length + this.#sealed.length
  }

  /** Ends the window that runs since the last call. */
  collect(nowMs: number, fill: (sink: FigureSink) => void): void {
    const last = this.#open.at(-1)
    const joins = last !== undefined && nowMs - last.startMs <= MERGE_MS
    const window = joins ? last : new OpenWindow(this.#collectedMs)
    try {
      fill(window)
    } finally {
      // What was handed over before a fault is nowhere else any more.
      if (this.#dropped > 0) {
        window.counter('weir.telemetry.dropped', this.#dropped, {})
        this.#dropped = 0
      }
      window.endMs = nowMs
      this.#collectedMs = nowMs
      if (!joins && window.size > 0) this.#open.push(window)
    }
  }

  /** Gives up what is too old to be of use. Not to be called while `head` is on its way. */
  expire(nowMs: number): void {
    while (this.#sealed[0] && this.#sealed[0].endMs < nowMs - KEEP_MS) this.#giveUp(this.#sealed.shift()?.series)
    while (this.#open[0] && this.#open[0].endMs < nowMs - KEEP_MS) this.#giveUp(this.#open.shift()?.series)
  }

  /** The oldest window, sealed; `null`: all is acknowledged. */
  head(nowMs: number): SealedWindow | null {
    if (this.#sealed.length === 0) {
      const window = this.#open.shift()
      if (window) this.#seal(window, nowMs)
    }
    return this.#sealed[0] ?? null
  }

  acknowledged(): void {
    this.#sealed.shift()
  }

  /** The receiver will never take `head`. */
  refused(): void {
    this.#giveUp(this.#sealed.shift()?.series)
  }

  #seal(window: OpenWindow, nowMs: number): void {
    const origin = this.#wall() - nowMs
    if (Math.abs(origin - this.#originMs) > ANCHOR_TOLERANCE_MS) this.#originMs = origin
    const all = [...window.series]
    for (let from = 0; from < all.length; from += MAX_SERIES_PER_EXPORT)
      this.#sealed.push({
        sequence: ++this.#sequence,
        startEpochMs: this.#originMs + Math.max(window.startMs, window.endMs - MAX_WINDOW_MS),
        endEpochMs: this.#originMs + window.endMs,
        endMs: window.endMs,
        series: all.slice(from, from + MAX_SERIES_PER_EXPORT),
      })
  }

  #giveUp(series: Iterable<Series> | undefined): void {
    if (series === undefined) return
    this.#dropped++
    for (const { name, value } of series) if (name === 'weir.telemetry.dropped') this.#dropped += value
  }
}
