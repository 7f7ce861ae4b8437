import type { Random } from '../core/clock.ts'

/** Round trips kept of a window: when there are more, every second one, then every fourth, so that they always stand for the whole of it. */
const KEPT = 128
/** Shortest and longest window, milliseconds. Twice the round trip in between: the effect of the last step must be able to show. */
const SHORTEST_MS = 100
const LONGEST_MS = 1_000
/** Windows are up to so much longer than their length, by chance: agents that started together do not move together. */
const JITTER = 0.15
/** Pieces of work that say enough, and the fewest that say anything; a limit of few slots cannot give many in a short time. */
const ENOUGH = 10
export const FEWEST = 3
/** After so long without anything running, what was seen before says nothing about now. */
const IDLE_MS = 10_000

/** `ms` made longer by up to `share` (0..1) of itself; `draw` is uniform in 0..1. */
export const jitteredMs = (ms: number, share: number, draw: number): number =>
  ms * (1 + Math.min(1, Math.max(0, share)) * draw)

/** Middle of the first `count` values, the upper one of two; NaN when there are none. Sorts them in place. */
export const medianOf = (values: Float64Array, count: number): number => {
  if (count === 0) return Number.NaN
  values.fill(Number.POSITIVE_INFINITY, count)
  return values.sort()[count >>> 1] ?? Number.NaN
}

/** What one window saw. Adding to it costs a few nanoseconds and allocates nothing. */
export class SampleWindow {
  samples = 0
  /** Samples that were late for want of speed. */
  overruns = 0
  drops = 0
  /** The most that was in flight. */
  peak = 0
  waited = false
  /** Whether it is the first after a pause: what ends first is what was quick, so it says too little about time. */
  first = true
  readonly #random: Random
  readonly #kept = new Float64Array(KEPT)
  #inFlight = 0
  #count = 0
  /** 2^n - 1: one sample in 2^n is kept. */
  #skip = 0
  #need = FEWEST
  #startMs = 0
  #endMs = 0
  #lastMs = Number.NEGATIVE_INFINITY
  #lengthMs = SHORTEST_MS

  constructor(random: Random) {
    this.#random = random
  }

  /** Adds a round trip; whether the window is over. */
  sample(ms: number, inFlight: number, nowMs: number, overrun: boolean): boolean {
    if (nowMs - ms - this.#lastMs > IDLE_MS) this.#restart(nowMs, true)
    this.#lastMs = nowMs
    if (inFlight > this.peak) this.peak = inFlight
    this.#inFlight += inFlight
    if (overrun) this.overruns++
    if ((this.samples++ & this.#skip) === 0) this.#keep(ms)
    return nowMs >= this.#endMs && this.samples + this.drops >= this.#need
  }

  /** Adds an overload; whether the window is over. */
  drop(inFlight: number, nowMs: number): boolean {
    if (nowMs - this.#lastMs > IDLE_MS) this.#restart(nowMs, true)
    this.#lastMs = nowMs
    if (inFlight > this.peak) this.peak = inFlight
    this.#inFlight += inFlight
    this.drops++
    return nowMs >= this.#endMs && this.samples + this.drops >= this.#need
  }

  /** What was in flight on average. */
  get inFlight(): number {
    return this.#inFlight / (this.samples + this.drops)
  }

  medianMs(): number {
    return medianOf(this.#kept, this.#count)
  }

  lengthMs(nowMs: number): number {
    return nowMs - this.#startMs
  }

  /** The next window, for this many slots and this round trip (NaN: not known). */
  next(nowMs: number, slots: number, rttMs: number): void {
    this.#need = Math.min(ENOUGH, Math.max(FEWEST, slots))
    this.#lengthMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, 2 * rttMs || 0))
    this.#restart(nowMs, false)
  }

  #restart(nowMs: number, first: boolean): void {
    this.first = first
    this.samples = 0
    this.overruns = 0
    this.drops = 0
    this.peak = 0
    this.#inFlight = 0
    this.waited = false
    this.#count = 0
    this.#skip = 0
    this.#startMs = nowMs
    this.#endMs = nowMs + jitteredMs(this.#lengthMs, JITTER, this.#random())
  }

  #keep(ms: number): void {
    this.#kept[this.#count++] = ms
    if (this.#count < KEPT) return
    for (let i = 0; i < KEPT / 2; i++) this.#kept[i] = this.#kept[2 * i] ?? 0
    this.#count = KEPT / 2
    this.#skip = 2 * this.#skip + 1
  }
}
