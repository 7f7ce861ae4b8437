import type { SignalKind } from '@weir/policy/model'

/** Signals of the whole process: the same for all of its gates. */
export type ProcessKind = Extract<
  SignalKind,
  'eventLoopDelayMs' | 'eventLoopUtilization' | 'heapShare' | 'gcShare' | 'cpuShare'
>

/** NaN: unknown. */
export type Readings = Readonly<Record<SignalKind, number>>
export type ProcessReadings = Readonly<Record<ProcessKind, number>>

/** Measures this process. Nothing runs between `stop` and `start`. */
export interface Readers {
  start(): void
  /** What happened since the last call, or since the start; `elapsedMs` is the length of that. */
  read(elapsedMs: number): ProcessReadings
  stop(): void
}

/** What only the machine can tell; NaN: unknown. */
export interface Machine {
  /** Heap in use, of what it may grow to. */
  heapShare(): number
  /** Cores that this process may use, by the quota of its container. */
  cores(): number
}
