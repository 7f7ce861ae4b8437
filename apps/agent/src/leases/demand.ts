/** Asked for beyond what was seen, where nobody needs it: a demand that grows is not held back until it is told. */
const HEADROOM = 0.1
/** And so many units, so that the first after a pause pass. */
const FIRST = 1
/** Seen beyond what was told, so that the agent does not wait for its turn to ask. */
const OUTGROWN = 1.25
/** Soonest question after the one before, as a share of the time between two. */
const SOONEST = 0.2

export interface Told {
  /** Units that could be used, fractional. */
  readonly want: number
  /** Units that would be taken beside, where nobody wants them. */
  readonly spare: number
  /** Units that were used of late. */
  readonly used: number
}

/** What of a quota this agent could use, estimated from what arrives. The larger of the last two windows counts: idle agents give back within two refreshes. */
export interface Demand {
  /** Slots that are taken; 0 for a rate. */
  readonly taken: number
  /** What to ask for; ends the window. */
  tell(nowMs: number): Told
  /** So much more than was told that it should be told now. */
  outgrown(nowMs: number): boolean
}

/** Of a rate: units per second that started, and those that were refused for want of it. Work that a gate had no room for anyway could not have used it. */
export class RateDemand implements Demand {
  readonly taken = 0
  readonly #refreshMs: number
  #started = 0
  #refused = 0
  #sinceMs: number
  #before = 0
  #told = 0

  constructor(refreshMs: number, nowMs: number) {
    this.#refreshMs = refreshMs
    this.#sinceMs = nowMs
  }

  /** Negative where it did not start after all. */
  started(units: number): void {
    this.#started += units
  }

  refused(units: number): void {
    this.#refused += units
  }

  tell(nowMs: number): Told {
    const seen = this.#rate(this.#started + this.#refused, nowMs)
    const used = this.#rate(this.#started, nowMs)
    this.#told = Math.max(seen, this.#before)
    this.#before = seen
    this.#started = this.#refused = 0
    this.#sinceMs = nowMs
    return { want: this.#told, spare: HEADROOM * this.#told + (FIRST * 1_000) / this.#refreshMs, used }
  }

  /** More than a whole refresh's worth has come before its end: a short burst of few is none. */
  outgrown(nowMs: number): boolean {
    const passedMs = nowMs - this.#sinceMs
    const units = this.#started + this.#refused
    return passedMs >= SOONEST * this.#refreshMs && units * 1_000 > OUTGROWN * this.#told * this.#refreshMs
  }

  #rate(units: number, nowMs: number): number {
    return Math.max(0, units * 1_000) / Math.max(nowMs - this.#sinceMs, SOONEST * this.#refreshMs)
  }
}

/** Of a concurrency: the most slots that were taken at once, and those that were asked for in vain, at most as many again. */
export class SlotDemand implements Demand {
  readonly #refreshMs: number
  #taken = 0
  #peak = 0
  #refused = 0
  #sinceMs: number
  #before = 0
  #told = 0

  constructor(refreshMs: number, nowMs: number) {
    this.#refreshMs = refreshMs
    this.#sinceMs = nowMs
  }

  get taken(): number {
    return this.#taken
  }

  /** Slots taken (+1) or freed (-1). */
  moved(by: number): void {
    this.#taken += by
    if (this.#taken > this.#peak) this.#peak = this.#taken
  }

  refused(): void {
    this.#refused++
  }

  tell(nowMs: number): Told {
    const seen = this.#seen()
    this.#told = Math.max(seen, this.#before)
    this.#before = seen
    const used = this.#peak
    this.#peak = this.#taken
    this.#refused = 0
    this.#sinceMs = nowMs
    return { want: this.#told, spare: Math.ceil(HEADROOM * this.#told) + FIRST, used }
  }

  outgrown(nowMs: number): boolean {
    return (
      nowMs - this.#sinceMs >= SOONEST * this.#refreshMs && this.#refused > 0 && this.#seen() > OUTGROWN * this.#told
    )
  }

  /** A refusal is perhaps the same work that came again: what is wanted doubles at most. */
  #seen(): number {
    return this.#peak + Math.min(this.#refused, this.#peak + 1)
  }
}
