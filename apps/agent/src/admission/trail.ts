import { CRITICALITIES, type Criticality } from '@weir/policy/model'
import type { GateReason } from '@weir/wire/model'
import { INPUT, INPUTS, type Input, type Inputs } from './inputs.ts'
import { ACCEPT, REASONS, WAIT } from './reasons.ts'

/** Decisions kept, the latest: at most about 20 kB a gate, taken as they come. */
const ROWS = 64
const COLUMNS = INPUTS.length
/** Between two collections of figures the gaps between kept decisions double, up to so many: few are all kept, many cost next to nothing. */
const WIDEST_GAP = 256

/** One decision, and everything that decided it. */
export interface Explanation {
  readonly gate: string
  readonly tenant: string
  readonly route: string | null
  readonly criticality: Criticality
  /** A gate that observes accepts what it would have refused. */
  readonly outcome: 'accepted' | 'waits' | GateReason
  readonly inputs: Inputs
}

/** A ring of sampled decisions in columns of numbers: keeping one allocates nothing. */
export class Trail {
  readonly #gate: string
  readonly #tenants: string[] = []
  readonly #routes: (string | undefined)[] = []
  readonly #outcomes: number[] = []
  readonly #rows: Float64Array[] = []
  #kept = 0
  /** Decisions to come before the next is kept, and how many it will be then: of refusals, and of others. */
  #refusals = 0
  #refusalGap = 1
  #others = 0
  #otherGap = 1
  readonly #every: boolean

  /** `every`: keeps each decision, for tests. */
  constructor(gate: string, every = false) {
    this.#gate = gate
    this.#every = every
  }

  /** Whether this decision is one to keep; then its inputs are put, one by one. */
  keeps(verdict: number): boolean {
    if (verdict >= 0 ? this.#refusals-- > 0 : this.#others-- > 0) return false
    if (this.#every) this.narrow()
    else this.#widen(verdict >= 0)
    return true
  }

  #widen(refusal: boolean): void {
    if (refusal) {
      this.#refusals = this.#refusalGap - 1
      this.#refusalGap = Math.min(2 * this.#refusalGap, WIDEST_GAP)
    } else {
      this.#others = this.#otherGap - 1
      this.#otherGap = Math.min(2 * this.#otherGap, 4 * WIDEST_GAP)
    }
  }

  /** Figures were collected: the next decisions are kept closely again. */
  narrow(): void {
    this.#refusals = 0
    this.#refusalGap = 1
    this.#others = 0
    this.#otherGap = 1
  }

  /** A row for this decision, all NaN, by column of `INPUT`: written in place, because numbers that are handed on become objects. */
  row(verdict: number, tenant: string, route: string | undefined): Float64Array {
    const at = this.#kept++ % ROWS
    this.#tenants[at] = tenant
    this.#routes[at] = route
    this.#outcomes[at] = verdict
    const row = this.#rows[at] ?? new Float64Array(COLUMNS)
    this.#rows[at] = row
    return row.fill(Number.NaN)
  }

  /** Latest first. */
  explain(): Explanation[] {
    const count = Math.min(this.#kept, ROWS)
    return Array.from({ length: count }, (_, i) => this.#explained((this.#kept - 1 - i) % ROWS))
  }

  #explained(at: number): Explanation {
    const value = (input: Input): number => this.#rows[at]?.[INPUT[input]] ?? Number.NaN
    return {
      gate: this.#gate,
      tenant: this.#tenants[at] ?? '',
      route: this.#routes[at] ?? null,
      criticality: CRITICALITIES[value('klass')] ?? 'sheddable',
      outcome: wordOf(this.#outcomes[at] ?? ACCEPT),
      inputs: Object.fromEntries(INPUTS.map((input) => [input, value(input)])) as Record<Input, number>,
    }
  }
}

export const wordOf = (verdict: number): Explanation['outcome'] => {
  if (verdict === ACCEPT) return 'accepted'
  return verdict === WAIT ? 'waits' : (REASONS[verdict] ?? 'limit-reached')
}
