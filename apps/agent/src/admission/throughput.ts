import { CRITICALITIES } from '@weir/policy/model'
import { medianOf } from './limit-window.ts'

/** Departures below which a measured rate is not believed. */
const ENOUGH = 20
/** Busy time after which the past counts half. */
const HALF_LIFE_MS = 2_000
/** A rate that was not measured again for this long says nothing about now. */
const STALE_MS = 5_000

/** Per class: departures per millisecond over the intervals in which its queue was never empty, the present one included. */
export class DrainRates {
  readonly #departures = column()
  readonly #busyMs = column()
  readonly #seen = column()
  /** Start of the running interval; NaN while the queue is empty. */
  readonly #sinceMs = column().fill(Number.NaN)
  readonly #measuredMs = column().fill(Number.NEGATIVE_INFINITY)

  /** The class's queue is no longer empty. */
  busy(klass: number, nowMs: number): void {
    if (nowMs - this.#at(this.#measuredMs, klass) > STALE_MS) this.#forget(klass)
    this.#sinceMs[klass] = nowMs
  }

  /** Work left the class's queue to start. */
  departed(klass: number, nowMs: number): void {
    this.#departures[klass] = this.#at(this.#departures, klass) + 1
    this.#seen[klass] = this.#at(this.#seen, klass) + 1
    this.#fold(klass, nowMs)
  }

  /** The class's queue ran empty. */
  idle(klass: number, nowMs: number): void {
    this.#fold(klass, nowMs)
    this.#sinceMs[klass] = Number.NaN
  }

  /** Departures per millisecond; NaN until there were 20, and again when the last are long ago. */
  perMs(klass: number, nowMs: number): number {
    const since = this.#at(this.#sinceMs, klass)
    const running = Number.isNaN(since) ? 0 : nowMs - since
    if (running === 0 && nowMs - this.#at(this.#measuredMs, klass) > STALE_MS) return Number.NaN
    const busyMs = this.#at(this.#busyMs, klass) + running
    if (this.#at(this.#seen, klass) < ENOUGH || busyMs <= 0) return Number.NaN
    return this.#at(this.#departures, klass) / busyMs
  }

  #fold(klass: number, nowMs: number): void {
    const since = this.#at(this.#sinceMs, klass)
    if (Number.isNaN(since)) return
    this.#busyMs[klass] = this.#at(this.#busyMs, klass) + nowMs - since
    this.#sinceMs[klass] = nowMs
    this.#measuredMs[klass] = nowMs
    if (this.#at(this.#busyMs, klass) <= HALF_LIFE_MS) return
    this.#busyMs[klass] = this.#at(this.#busyMs, klass) / 2
    this.#departures[klass] = this.#at(this.#departures, klass) / 2
  }

  #forget(klass: number): void {
    this.#departures[klass] = 0
    this.#busyMs[klass] = 0
    this.#seen[klass] = 0
  }

  #at(values: Float64Array, klass: number): number {
    return values[klass] ?? 0
  }
}

const column = (): Float64Array => new Float64Array(CRITICALITIES.length)

/** Samples that the median is of. */
const SAMPLES = 64
/** The median is computed again after so many new samples: a sort of 64 numbers, shared by them. */
const EVERY = 16

/** Typical processing time: the median of the last 64 samples. */
export class TypicalTime {
  readonly #ring = new Float64Array(SAMPLES)
  readonly #sorted = new Float64Array(SAMPLES)
  #count = 0
  #sinceSort = 0
  #medianMs = Number.NaN

  /** Samples so far. */
  get count(): number {
    return this.#count
  }

  record(ms: number): void {
    this.#ring[this.#count % SAMPLES] = ms
    this.#count++
    this.#sinceSort++
  }

  /** Milliseconds; NaN until there is a sample. */
  medianMs(): number {
    if (this.#sinceSort >= EVERY || (this.#sinceSort > 0 && this.#count <= EVERY)) {
      this.#sorted.set(this.#ring)
      this.#medianMs = medianOf(this.#sorted, Math.min(this.#count, SAMPLES))
      this.#sinceSort = 0
    }
    return this.#medianMs
  }
}
