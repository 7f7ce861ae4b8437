/** Gauges and dependencies that are read, at most. */
const MAX_GAUGES = 600

/** What others hand in, read once an interval: the worst of them counts. */
export class Gauges {
  readonly #reads = new Map<string, () => unknown>()
  readonly #silenced = new Set<string>()
  readonly #failed: (error: unknown) => void

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  /** Another of the same name takes its place. Returns the way to end it. */
  add(name: string, read: () => unknown): () => void {
    if (this.#reads.has(name) || this.#reads.size < MAX_GAUGES) this.#reads.set(name, read)
    else this.#failed(new Error(`The gauge ${name} is one too many: at most ${MAX_GAUGES} are read.`))
    return () => {
      if (this.#reads.get(name) === read) this.#reads.delete(name)
    }
  }

  /** The highest of what is known; NaN when nothing is. A gauge that throws is unknown, and told once. */
  worst(): number {
    let worst = Number.NaN
    for (const [name, read] of this.#reads) {
      const value = this.#read(name, read)
      if (value >= 0 && !(worst >= value)) worst = value
    }
    return worst
  }

  #read(name: string, read: () => unknown): number {
    try {
      const value = read()
      return typeof value === 'number' ? value : Number.NaN
    } catch (error) {
      if (!this.#silenced.has(name) && this.#silenced.size < MAX_GAUGES) {
        this.#silenced.add(name)
        this.#failed(error)
      }
      return Number.NaN
    }
  }
}
