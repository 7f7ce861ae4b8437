import type { Progress } from '../load/plan.ts'
import type { Run, Side, Span } from '../run.ts'

/** What every run is given. */
export interface Stage {
  readonly seed: number
  /** Shorter and smaller, for slow machines. */
  readonly quick: boolean
  /** A folder for policies, thrown away at the end. */
  readonly folder: string
  /** Runs without Weir that several scenarios share, by name. */
  readonly shared: Map<string, Run>
  /** Measured capacities, by the size of what was measured. */
  readonly capacities: Map<string, number>
  readonly say: (line: string) => void
  readonly progress: (seconds: number, of: number, said: Progress) => void
}

/** On what terms a run is judged. What is absent does not apply, and `notAsked` says why. */
export interface Terms {
  /** Requests per second that the fleet can do; measured on the fleet without Weir. */
  readonly capacity: number
  /** What of it is left, or offered, during the hold, 0..1. Default 1. */
  readonly left?: number
  /** Kinds of requests that are judged; the others stand for other pools. */
  readonly judged: readonly string[]
  /** Kinds that need another pool than the overloaded one. */
  readonly bystanders?: readonly string[]
  /** Kinds and the share of the capacity that each must get while overloaded, or all that it asks for. */
  readonly owed?: Readonly<Record<string, number>>
  /** The services whose resource is scarce. */
  readonly scarce: readonly string[]
  /** The gate whose queue, limit and books are judged. */
  readonly gate: { readonly service: string; readonly name: string }
  /** Attempts a request while the load is held. */
  readonly attempts?: (run: Run) => number
  /** Most that may wait at a gate. */
  readonly queueBound: number
  /** By the check's id: why it does not apply. */
  readonly notAsked: Readonly<Record<string, string>>
  /** Further figures of a run. */
  readonly more?: (run: Run) => Record<string, number>
}

export interface Scenario {
  readonly name: string
  readonly title: string
  /** What happens, in a sentence or two, for people. */
  readonly about: string
  /** Whether it is part of the quick form. */
  readonly quick: boolean
  prepare(stage: Stage): Promise<Terms>
  play(side: Side, terms: Terms, stage: Stage): Promise<Run>
}

export const secondsOf = ([from, to]: Span): number => (to - from) / 1_000
