import { CRITICALITIES, type SignalKind, type Threshold } from '@weir/policy/model'
import type { Readings } from './readers.ts'
import { Trip } from './trip.ts'

export type Thresholds = Readonly<Partial<Record<SignalKind, Threshold>>>

/** Every class but none above: each level sheds one more class down to its reserve. */
const HIGHEST = CRITICALITIES.length
/** Samples from one level to the next, either way. */
const A_LEVEL = 2

/**
 * From signals to an overload level, 0 to 4: 1 when the first signal opens, one more for every two samples that an open signal is still at its
 * opening threshold, one less when the last has closed and for every two samples after it. Between the thresholds it stays.
 */
export class LevelMeter {
  level = 0
  readonly #trips = new Map<SignalKind, Trip>()
  #since = 0

  /** Signals that are open. */
  get open(): SignalKind[] {
    return Array.from(this.#trips)
      .filter(([, trip]) => trip.open)
      .map(([kind]) => kind)
  }

  /** A signal that has no thresholds any more is forgotten; the others keep their state. */
  sample(readings: Readings, thresholds: Thresholds): number {
    const before = this.#anyOpen()
    for (const kind of this.#trips.keys()) if (thresholds[kind] === undefined) this.#trips.delete(kind)
    for (const kind of Object.keys(thresholds) as SignalKind[]) {
      const threshold = thresholds[kind]
      if (threshold !== undefined) this.#trip(kind).sample(readings[kind], threshold)
    }
    this.#move(before)
    return this.level
  }

  #move(before: boolean): void {
    const open = this.#anyOpen()
    const rising = open && this.#anyHigh()
    const falling = !open && this.level > 0
    this.#since = rising || falling ? this.#since + 1 : 0
    if (open === before && this.#since < A_LEVEL) return
    if (rising) this.level = Math.min(HIGHEST, this.level + 1)
    else if (falling) this.level--
    this.#since = 0
  }

  #trip(kind: SignalKind): Trip {
    const found = this.#trips.get(kind)
    if (found !== undefined) return found
    const made = new Trip()
    this.#trips.set(kind, made)
    return made
  }

  #anyOpen(): boolean {
    for (const trip of this.#trips.values()) if (trip.open) return true
    return false
  }

  #anyHigh(): boolean {
    for (const trip of this.#trips.values()) if (trip.open && trip.high) return true
    return false
  }
}
