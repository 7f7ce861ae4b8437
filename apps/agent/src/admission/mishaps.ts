import type { Runtime } from '../core/clock.ts'
import { report } from '../core/report.ts'

/** What went wrong at a gate since it was made, and was survived. */
export class Mishaps {
  /** Endings of permits that had ended. */
  endedTwice = 0
  /** Zombies whose slot was taken back before their work had ended. */
  lost = 0
  /** Faults of our own, or of what the host handed in. */
  faults = 0
  readonly #where: string
  readonly #runtime: Runtime

  constructor(gate: string, runtime: Runtime) {
    this.#where = `gate ${gate}`
    this.#runtime = runtime
  }

  fault(error: unknown): void {
    this.faults++
    this.warn(error)
  }

  /** To the error sink, uncounted. */
  warn(error: unknown): void {
    report(this.#runtime, error, this.#where)
  }
}
