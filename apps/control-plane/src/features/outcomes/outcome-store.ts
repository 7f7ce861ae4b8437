import type { HistogramColumn, Kind, PeakColumn, SumColumn } from './columns.ts'
import type { Cut, Rows } from './roll-up.ts'
import type { Window } from './window.ts'

/** Kept resolutions: length of a bucket and how long buckets are kept, seconds. */
export const STEPS = [
  { step: 1, keepSeconds: 3_600 },
  { step: 10, keepSeconds: 86_400 },
  { step: 60, keepSeconds: 31 * 86_400 },
] as const
export type Step = (typeof STEPS)[number]['step']

export interface OutcomeQuery {
  readonly environment: string
  readonly kind: Kind
  readonly service: string | null
  readonly name: string | null
  /** `true`: only gates marked edge; `false`: only the others. */
  readonly edge: boolean | null
  readonly cut: Cut
  /** What a series is called by. `name`: with its service before it where no service is asked for. */
  readonly labelBy: 'nothing' | 'service' | 'name' | 'label'
  /** Whole seconds since the epoch, multiples of `bucket`; `to` exclusive. */
  readonly from: number
  readonly to: number
  readonly step: Step
  /** Length of the answer's buckets: a multiple of `step`. */
  readonly bucket: number
  readonly maxSeries: number
}

/** `null`: nothing counted, or not heard. */
export type Figures = Readonly<Record<SumColumn | PeakColumn, number | null> & Record<HistogramColumn, number[] | null>>

export interface OutcomeSlice {
  readonly rows: readonly { readonly second: number; readonly label: string; readonly figures: Figures }[]
  /** Starts of the buckets in which anything was heard. */
  readonly heard: readonly number[]
  /** Over the whole range and all series. */
  readonly total: Figures
}

/** One second of one service's gates. */
export interface SheddingSecond {
  readonly environment: string
  readonly service: string
  readonly second: number
  readonly offered: number
  /** Shed and expired. */
  readonly refused: number
}

/** Where figures are kept. Every adapter passes `testing/outcome-store-contract.ts`. */
export abstract class OutcomeStore {
  /**
   * Takes windows; those that it took before are left out. `rollUp` is called with the rest, again where the store
   * has to begin anew, and the rows that it returned last are added to what is kept.
   * Durable when it resolves: all of it, or on rejection none. Returns the rows.
   */
  abstract write(windows: readonly Window[], rollUp: (fresh: readonly Window[]) => Rows, nowMs: number): Promise<Rows>
  abstract query(query: OutcomeQuery): Promise<OutcomeSlice>
  /** Seconds of gates from `from` to before `to`, of the services of these environments that were heard. */
  abstract shedding(environments: readonly string[], from: number, to: number): Promise<SheddingSecond[]>
  /** Makes room ahead and drops what is older than it is kept. Called once a minute. */
  abstract maintain(nowMs: number): Promise<void>
}
