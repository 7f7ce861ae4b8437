/** Monotonic milliseconds, fractional; only differences mean anything. Injected everywhere: tests and simulations run on virtual time. */
export interface Clock {
  now(): number
}

/** One-shot timers on the same time line as `Clock`. A real one never keeps the process alive, and clamps delays past 2^31-1 ms. */
export interface Timers {
  set(callback: () => void, delayMs: number): unknown
  clear(handle: unknown): void
}

/** Uniform in [0, 1); seeded in tests. */
export type Random = () => number

/** What the decision code needs of the world. */
export interface Runtime {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  /** The one error sink: internal faults are reported here and never thrown into the host. Silent by default. */
  onError(error: unknown, where: string): void
  /** Adds the proof that these headers are this environment's own, where there is a key for it. */
  readonly seal?: ((headers: Record<string, string>) => void) | undefined
}
