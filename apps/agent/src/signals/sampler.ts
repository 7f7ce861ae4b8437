import type { Clock, Timers } from '../core/clock.ts'
import type { ProcessReadings, Readers } from './readers.ts'

/** Length of an interval, milliseconds: two samples open a signal, so an overload is answered after half a second. */
const INTERVAL_MS = 250
/** A timer so much late means that the loop was blocked: the sampler looks a moment later, so that the delay's own timer has seen the block first. */
const LATE_MS = 20
/** What a process does in its first seconds (loading, compiling) says nothing about its load. */
const WARM_UP_MS = 5_000

const UNKNOWN: ProcessReadings = {
  eventLoopDelayMs: Number.NaN,
  eventLoopUtilization: Number.NaN,
  heapShare: Number.NaN,
  gcShare: Number.NaN,
  cpuShare: Number.NaN,
}

/** One timer, which never keeps the process alive: at its end each interval is read and told once. */
export class Sampler {
  readonly #clock: Clock
  readonly #timers: Timers
  readonly #readers: Readers
  readonly #tell: (readings: ProcessReadings) => void
  readonly #failed: (error: unknown) => void
  #timer: unknown = null
  #running = false
  #startedMs = 0
  #lastMs = 0
  #dueMs = 0

  constructor(
    world: { readonly clock: Clock; readonly timers: Timers },
    readers: Readers,
    tell: (readings: ProcessReadings) => void,
    failed: (error: unknown) => void,
  ) {
    this.#clock = world.clock
    this.#timers = world.timers
    this.#readers = readers
    this.#tell = tell
    this.#failed = failed
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#startedMs = this.#clock.now()
    this.#lastMs = this.#startedMs
    this.#guarded(() => this.#readers.start())
    this.#arm()
  }

  stop(): void {
    if (!this.#running) return
    this.#running = false
    this.#timers.clear(this.#timer)
    this.#guarded(() => this.#readers.stop())
  }

  #arm(): void {
    this.#dueMs = this.#clock.now() + INTERVAL_MS
    this.#timer = this.#timers.set(() => this.#due(), INTERVAL_MS)
  }

  #due(): void {
    if (this.#clock.now() - this.#dueMs <= LATE_MS) this.#sample()
    else this.#timer = this.#timers.set(() => this.#sample(), 1)
  }

  #sample(): void {
    this.#guarded(() => {
      const nowMs = this.#clock.now()
      const readings = this.#read(nowMs - this.#lastMs)
      this.#lastMs = nowMs
      this.#tell(nowMs - this.#startedMs < WARM_UP_MS ? UNKNOWN : readings)
    })
    if (this.#running) this.#arm()
  }

  #read(elapsedMs: number): ProcessReadings {
    try {
      return this.#readers.read(elapsedMs)
    } catch (error) {
      this.#failed(error)
      return UNKNOWN
    }
  }

  #guarded(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.#failed(error)
    }
  }
}
