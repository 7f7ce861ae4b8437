import { setTimeout as sleep } from 'node:timers/promises'
import { nowMs } from '../clock.ts'

/** A grace for what a request travels, milliseconds: work that begins so late after its caller's patience is not yet held against anybody. */
const TRAVEL_MS = 20

/** A pool of connections as most services have one: a fixed number, and a queue in front of it that nobody bounded. It counts what it works on for nobody. */
export class Resource {
  begun = 0
  stale = 0
  workMs: number
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(connections: number, workMs: number) {
    this.#free = connections
    this.workMs = workMs
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Work for a caller that waits until then, machine time. */
  async use(untilMs: number): Promise<void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.begins(untilMs)
    await sleep(this.workMs)
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }

  begins(untilMs: number): void {
    this.begun++
    if (nowMs() > untilMs + TRAVEL_MS) this.stale++
  }
}
