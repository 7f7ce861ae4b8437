import { EventQueue, type VirtualTime } from '@weir/testkit'

/**
 * Where accepted work is done: `concurrency` pieces run side by side at full speed, more of them share that speed evenly (processor sharing), `null` =
 * any number at full speed. Kept as one clock of progress that every piece in it ages by, so that a start or an end costs O(log n), however many share.
 */
export class Station {
  readonly #time: VirtualTime
  readonly #concurrency: number
  readonly #running = new EventQueue<() => void>()
  /** How far each piece that has been here since the beginning would have come, milliseconds at full speed. */
  #progressMs = 0
  #atMs: number
  #timer: unknown
  #timerMs = Number.POSITIVE_INFINITY

  constructor(time: VirtualTime, concurrency: number | null) {
    this.#time = time
    this.#atMs = time.now()
    this.#concurrency = concurrency ?? Number.POSITIVE_INFINITY
  }

  get active(): number {
    return this.#running.size
  }

  /** Does `ms` of work, then calls `done`. */
  start(ms: number, done: () => void): void {
    this.#age()
    this.#running.put(this.#progressMs + ms, done)
    this.#arm()
  }

  get #speed(): number {
    return Math.min(1, this.#concurrency / this.#running.size)
  }

  #age(): void {
    const nowMs = this.#time.now()
    if (this.#running.size > 0) this.#progressMs += (nowMs - this.#atMs) * this.#speed
    this.#atMs = nowMs
  }

  #arm(): void {
    const dueMs =
      this.#running.size === 0
        ? Number.POSITIVE_INFINITY
        : this.#atMs + Math.max(0, this.#running.nextMs - this.#progressMs) / this.#speed
    if (dueMs === this.#timerMs) return
    this.#time.clear(this.#timer)
    this.#timerMs = dueMs
    this.#timer = dueMs === Number.POSITIVE_INFINITY ? undefined : this.#time.set(this.#due, dueMs - this.#atMs)
  }

  readonly #due = (): void => {
    this.#timerMs = Number.POSITIVE_INFINITY
    this.#timer = undefined
    this.#age()
    // Rounding may leave the first a hair short: it is the one whose moment this is.
    const done = this.#running.take()
    if (done) this.#progressMs = Math.max(this.#progressMs, done.atMs)
    this.#arm()
    done?.value()
  }
}
