import type { SignalKind } from '@weir/policy/model'
import { virtualRuntime } from '@weir/testkit'
import type { Thresholds } from './level.ts'
import type { ProcessReadings, Readers } from './readers.ts'
import { Signals } from './signals.ts'

export const QUIET: ProcessReadings = {
  eventLoopDelayMs: 0,
  eventLoopUtilization: 0,
  heapShare: 0,
  gcShare: 0,
  cpuShare: 0,
}

/** Readers that say what the test says, and note how long each interval was. */
export class ToldReaders implements Readers {
  now: ProcessReadings = QUIET
  running = false
  readonly intervals: number[] = []

  start(): void {
    this.running = true
  }

  read(elapsedMs: number): ProcessReadings {
    this.intervals.push(elapsedMs)
    return this.now
  }

  stop(): void {
    this.running = false
  }
}

/** Signals of a process that is warm, and one gate that watches one signal. */
export const watching = (thresholds: Thresholds = { eventLoopDelayMs: { open: 100, close: 50 } }) => {
  const runtime = virtualRuntime()
  const readers = new ToldReaders()
  const signals = new Signals(runtime, readers)
  const gate = { level: 0, delayMs: 0, oldestAgeMs: 0, report: () => ({ oldestAgeMs: gate.oldestAgeMs }) }
  const inForce = { thresholds }
  signals.watch(gate, () => inForce.thresholds)
  runtime.time.advance(5_000)
  /** The levels after so many samples of one reading each. */
  const levels = (kind: keyof ProcessReadings, ...values: number[]) =>
    values.map((value) => {
      readers.now = { ...QUIET, [kind]: value }
      runtime.time.advance(250)
      return gate.level
    })
  return { runtime, readers, signals, gate, inForce, levels }
}

/** All readings, one of them told. */
export const reading = (kind: SignalKind, value: number) => ({
  ...QUIET,
  queueAgeMs: 0,
  connectionWaitMs: 0,
  dependencyLatencyMs: 0,
  [kind]: value,
})
