import { OUTCOMES, type Outcome, type Records } from './plan.ts'

const CHUNK = 65_536
const grown = <T extends Float64Array | Uint8Array>(column: T, make: (length: number) => T): T => {
  const longer = make(column.length + CHUNK)
  longer.set(column)
  return longer
}

/** Writes down every request; its columns grow by the chunk. */
export class Recorder {
  readonly counts: number[] = OUTCOMES.map(() => 0)
  readonly #startMs: number
  readonly #kinds: readonly string[]
  readonly #reasons: Record<string, number> = {}
  #length = 0
  #lagMs = 0
  #intended = new Float64Array(CHUNK)
  #end = new Float64Array(CHUNK)
  #outcome = new Uint8Array(CHUNK)
  #kind = new Uint8Array(CHUNK)

  constructor(startMs: number, kinds: readonly string[]) {
    this.#startMs = startMs
    this.#kinds = kinds
  }

  get sent(): number {
    return this.#length
  }

  /** The number of a new request. */
  open(intendedMs: number, kind: number, lagMs: number): number {
    const n = this.#length++
    if (n >= this.#intended.length) {
      this.#intended = grown(this.#intended, (length) => new Float64Array(length))
      this.#end = grown(this.#end, (length) => new Float64Array(length))
      this.#outcome = grown(this.#outcome, (length) => new Uint8Array(length))
      this.#kind = grown(this.#kind, (length) => new Uint8Array(length))
    }
    this.#intended[n] = intendedMs
    this.#kind[n] = kind
    this.#lagMs = Math.max(this.#lagMs, lagMs)
    return n
  }

  close(n: number, endMs: number, outcome: Outcome, reason?: string): void {
    const index = OUTCOMES.indexOf(outcome)
    this.#end[n] = endMs
    this.#outcome[n] = index
    this.counts[index] = (this.counts[index] as number) + 1
    if (reason !== undefined) this.#reasons[reason] = (this.#reasons[reason] ?? 0) + 1
  }

  take(): Records {
    return {
      startMs: this.#startMs,
      intendedMs: this.#intended.slice(0, this.#length),
      endMs: this.#end.slice(0, this.#length),
      outcome: this.#outcome.slice(0, this.#length),
      kind: this.#kind.slice(0, this.#length),
      kinds: this.#kinds,
      reasons: this.#reasons,
      lagMs: this.#lagMs,
    }
  }
}
