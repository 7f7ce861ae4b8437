import type { Moment } from './judge.ts'

export interface Stretch {
  /** Whole seconds since the epoch; `to` exclusive. */
  readonly from: number
  readonly to: number
}

/** Work of the last minute that a label of a cut stands for. */
export interface CutRow {
  readonly service: string
  readonly cut: 'reason' | 'class' | 'tenant' | 'revision'
  readonly label: string
  readonly offered: number
  readonly refused: number
}

/** Calls of a service to one dependency, counts; times in ms. */
export interface DependencyRow {
  readonly service: string
  readonly name: string
  readonly calls: number
  readonly failed: number
  readonly refused: number
  readonly breakersOpen: number
  readonly meanMs: number | null
}

/** The figures of all services of an environment that verdicts are made of: sums alone, so that hundreds of services are one answer. */
export abstract class VerdictSource {
  /** By service, each in the order of time, in buckets of so many seconds. */
  abstract moments(environment: string, stretch: Stretch, bucket: number): Promise<ReadonlyMap<string, Moment[]>>
  /** Every label with refused work, and every class. */
  abstract cuts(environment: string, stretch: Stretch): Promise<readonly CutRow[]>
  abstract dependencies(environment: string, stretch: Stretch): Promise<readonly DependencyRow[]>
}
