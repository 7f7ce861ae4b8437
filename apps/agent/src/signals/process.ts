import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'
import type { Machine, ProcessReadings, Readers } from './readers.ts'

/** How often the delay of the event loop is measured, milliseconds. The measuring timer counts its own period too, which is subtracted. */
const RESOLUTION_MS = 10
const NS_PER_MS = 1e6
const US_PER_MS = 1e3

/** The event loop, heap, collector and processor time of this process, per interval. */
export class NodeReaders implements Readers {
  readonly #machine: Machine
  /** Made when it is first wanted: it is a handle of the process from then on. */
  #delays: ReturnType<typeof monitorEventLoopDelay> | undefined
  readonly #collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) this.#gcMs += duration
  })
  #loop = performance.eventLoopUtilization()
  #cpu = process.cpuUsage()
  #gcMs = 0

  constructor(machine: Machine) {
    this.#machine = machine
  }

  start(): void {
    this.#delays ??= monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.#delays.enable()
    this.#collections.observe({ entryTypes: ['gc'] })
    this.#loop = performance.eventLoopUtilization()
    this.#cpu = process.cpuUsage()
    this.#gcMs = 0
  }

  read(elapsedMs: number): ProcessReadings {
    const readings = {
      eventLoopDelayMs: delayOf(this.#delays?.count ?? 0, this.#delays?.max ?? 0),
      eventLoopUtilization: this.#utilization(),
      heapShare: this.#machine.heapShare(),
      gcShare: shareOf(this.#gcMs, elapsedMs),
      cpuShare: shareOf(this.#cpuMs(), elapsedMs * this.#machine.cores()),
    }
    this.#delays?.reset()
    this.#gcMs = 0
    return readings
  }

  stop(): void {
    this.#delays?.disable()
    this.#collections.disconnect()
  }

  #utilization(): number {
    const now = performance.eventLoopUtilization()
    const { idle, active, utilization } = performance.eventLoopUtilization(now, this.#loop)
    this.#loop = now
    return idle + active > 0 ? utilization : Number.NaN
  }

  #cpuMs(): number {
    const { user, system } = process.cpuUsage(this.#cpu)
    this.#cpu = process.cpuUsage()
    return (user + system) / US_PER_MS
  }
}

/** The longest delay of the interval in milliseconds, from a histogram's count and maximum in nanoseconds. An empty histogram knows nothing. */
export const delayOf = (count: number, maxNs: number): number =>
  count > 0 ? Math.max(0, maxNs / NS_PER_MS - RESOLUTION_MS) : Number.NaN

/** A part of a whole, 1 at most; unknown where the whole is. */
export const shareOf = (part: number, whole: number): number => (whole > 0 ? Math.min(1, part / whole) : Number.NaN)
