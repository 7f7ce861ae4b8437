import type { DependencyReport, GateReport } from '@weir/wire/model'

/** What a service of the bench is told at its start. */
export interface ServiceSettings {
  readonly name: string
  /** `null`: without Weir. */
  readonly weir: {
    readonly bootstrapFile?: string
    readonly controlPlane?: string
    readonly key?: string
    readonly snapshotDir: string | false
  } | null
}

/** What a service sees of itself, four times a second. Counts are since its start. */
export interface Sample {
  readonly type: 'sample'
  readonly atMs: number
  readonly rssMb: number
  /** Processor time used. */
  readonly cpuMs: number
  /** Longest delay of the event loop since the last sample. */
  readonly loopMs: number
  /** At its scarce resource: who waits for it unbounded, how much began, and how much of that for callers whose patience had ended. */
  readonly waiting: number
  readonly begun: number
  readonly stale: number
  readonly gates: readonly GateReport[]
  readonly dependencies: readonly DependencyReport[]
}

/** What became of a message, by the time that its caller stops waiting: when its consumer was done with it, machine time. */
export type JobEnd = readonly [until: number, atMs: number, end: 'ok' | 'refused']

/** The agent's own counts since the start, by gate or dependency and metric; refusals and classes also by themselves. */
export interface Counts {
  readonly type: 'books'
  readonly books: Readonly<Record<string, number>>
  /** Of a consumer. */
  readonly ends: readonly JobEnd[]
}

export interface Listening {
  readonly type: 'listening'
  readonly url: string
}

/** To a service whose resource becomes slower or worse. */
export interface Change {
  readonly type: 'change'
  readonly workMs?: number
  /** Share of the requests that are answered with a plain 500. */
  readonly failing?: number
}
export type Command = Change | { readonly type: 'books' }
