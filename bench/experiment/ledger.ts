import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** One execution: money has moved. */
export interface Execution {
  readonly payment: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The payment service's own book of what it executed, a line each, in a file that outlives its process. */
export class Ledger {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** Written when this returns: the process may be killed at the next instant. */
  write(payment: string): void {
    const execution: Execution = { payment, at: Date.now() }
    appendFileSync(this.#file, `${JSON.stringify(execution)}\n`)
  }

  /** Times of execution, by payment. */
  read(): Map<string, number[]> {
    const times = new Map<string, number[]>()
    const lines = existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n') : []
    for (const line of lines) {
      if (line === '') continue
      const { payment, at } = JSON.parse(line) as Execution
      times.set(payment, [...(times.get(payment) ?? []), at])
    }
    return times
  }
}
