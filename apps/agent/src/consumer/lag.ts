/** Arrivals are remembered for one to two such windows, milliseconds. */
const WINDOW_MS = 1_000
/** With room for more and nothing coming for so long, the consumer has caught up, milliseconds. */
const QUIET_MS = 3_000
/** What an adapter measured at the broker counts for so long, milliseconds. */
const MEASURED_MS = 15_000

/**
 * How far a consumer is behind: the age of the oldest message that it was given lately or has in hand, or, where larger, of the oldest at the broker as
 * measured. NaN: unknown, for it has no broker. A consumer that has no room for more keeps what it saw last; one that has, and gets nothing, is not behind.
 */
export class Lag {
  connected = true
  #sinceMs: number
  #before = Number.NaN
  #now = Number.NaN
  #lastMs = Number.NaN
  #arrivedMs: number
  #measuredMs = Number.NaN
  #measuredAtMs = Number.NEGATIVE_INFINITY

  constructor(nowMs: number) {
    this.#sinceMs = nowMs
    this.#arrivedMs = nowMs
  }

  /** A message of this age was delivered. */
  arrived(ageMs: number, nowMs: number): void {
    this.#turn(nowMs)
    if (!(ageMs <= this.#now)) this.#now = ageMs
    this.#lastMs = ageMs
    this.#arrivedMs = nowMs
  }

  /** It had no room until now: silence counts from here. */
  busy(nowMs: number): void {
    this.#arrivedMs = nowMs
  }

  /** Age of the oldest message at the broker; NaN: not known. */
  measured(ageMs: number, nowMs: number): void {
    this.#measuredMs = ageMs
    this.#measuredAtMs = nowMs
  }

  /** Milliseconds; `inHandMs`: age of the oldest in hand, NaN where there is none. */
  read(inHandMs: number, nowMs: number): number {
    if (!this.connected) return Number.NaN
    this.#turn(nowMs)
    const quiet = nowMs - this.#arrivedMs >= QUIET_MS
    const lately = greater(this.#before, this.#now)
    const seen = quiet ? 0 : greater(lately, Number.isNaN(lately) ? this.#lastMs : lately)
    const measured = nowMs - this.#measuredAtMs < MEASURED_MS ? this.#measuredMs : Number.NaN
    const known = greater(greater(seen, measured), inHandMs)
    return Number.isNaN(known) ? 0 : known
  }

  #turn(nowMs: number): void {
    const passed = Math.floor((nowMs - this.#sinceMs) / WINDOW_MS)
    if (passed <= 0) return
    this.#before = passed === 1 ? this.#now : Number.NaN
    this.#now = Number.NaN
    this.#sinceMs += passed * WINDOW_MS
  }
}

/** The greater of two of which either may be unknown. */
const greater = (a: number, b: number): number => (Number.isNaN(a) || b > a ? b : a)
