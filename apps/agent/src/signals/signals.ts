import type { Runtime } from '../core/clock.ts'
import { report } from '../core/report.ts'
import { Gauges } from './gauges.ts'
import { LevelMeter, type Thresholds } from './level.ts'
import type { ProcessReadings, Readers, Readings } from './readers.ts'
import { Sampler } from './sampler.ts'
import { Smooth } from './smooth.ts'

/** What is told how hard the process is pressed: a gate. */
export interface Pressed {
  level: number
  /** Event-loop delay, milliseconds; 0 while unknown. */
  delayMs: number
  report(): { readonly oldestAgeMs: number }
}

interface Watched {
  readonly gate: Pressed
  readonly thresholds: () => Thresholds
  readonly meter: LevelMeter
}

/**
 * The capacity signals of one process: sampled once for all of its gates, held against each gate's own thresholds. Utilisation and shares are averaged
 * over a few samples, for a collection or a burst within one says little; delays and ages are told as they are.
 */
export class Signals {
  readonly #connections: Gauges
  readonly #dependencies: Gauges
  readonly #sampler: Sampler
  readonly #watched: Watched[] = []
  readonly #smooth = {
    eventLoopUtilization: new Smooth(),
    heapShare: new Smooth(),
    gcShare: new Smooth(),
    cpuShare: new Smooth(),
    dependencyLatencyMs: new Smooth(),
  }

  constructor(runtime: Runtime, readers: Readers) {
    const failed = (error: unknown) => report(runtime, error, 'signals')
    this.#connections = new Gauges(failed)
    this.#dependencies = new Gauges(failed)
    this.#sampler = new Sampler(runtime, readers, (readings) => this.#tell(readings), failed)
  }

  /** Keeps the gate's level by the thresholds in force. The first gate starts the sampling. */
  watch(gate: Pressed, thresholds: () => Thresholds): void {
    this.#watched.push({ gate, thresholds, meter: new LevelMeter() })
    this.#sampler.start()
  }

  /** `read`: how long work waits, or the longest waiter has waited, for a connection of this pool, milliseconds. */
  connections(pool: string, read: () => unknown): () => void {
    return this.#connections.add(pool, read)
  }

  /** `read`: mean duration of the calls that ended since it was last read, milliseconds. */
  dependency(name: string, read: () => unknown): void {
    this.#dependencies.add(name, read)
  }

  close(): void {
    this.#sampler.stop()
  }

  #tell(process: ProcessReadings): void {
    const smooth = this.#smooth
    const readings = {
      eventLoopDelayMs: process.eventLoopDelayMs,
      eventLoopUtilization: smooth.eventLoopUtilization.next(process.eventLoopUtilization),
      heapShare: smooth.heapShare.next(process.heapShare),
      gcShare: smooth.gcShare.next(process.gcShare),
      cpuShare: smooth.cpuShare.next(process.cpuShare),
      connectionWaitMs: this.#connections.worst(),
      dependencyLatencyMs: smooth.dependencyLatencyMs.next(this.#dependencies.worst()),
    }
    for (const watched of this.#watched) press(watched, readings)
  }
}

const press = ({ gate, thresholds, meter }: Watched, readings: Omit<Readings, 'queueAgeMs'>): void => {
  gate.delayMs = readings.eventLoopDelayMs || 0
  gate.level = meter.sample({ ...readings, queueAgeMs: gate.report().oldestAgeMs }, thresholds())
}
