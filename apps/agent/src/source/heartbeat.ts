import { WIRE } from '@weir/wire/model'
import type { Runtime } from '../core/clock.ts'

/** Notices a silent peer: nothing heard for as long as the pings that may be missed take. One timer, moved lazily. */
export class Heartbeat {
  readonly #runtime: Runtime
  readonly #onSilence: () => void
  #timer: unknown = null
  #heardAt = 0
  #patienceMs = 0

  constructor(runtime: Runtime, onSilence: () => void) {
    this.#runtime = runtime
    this.#onSilence = onSilence
  }

  start(intervalMs: number): void {
    this.stop()
    this.#patienceMs = intervalMs * WIRE.missedHeartbeats
    this.heard()
    this.#arm(this.#patienceMs)
  }

  heard(): void {
    this.#heardAt = this.#runtime.clock.now()
  }

  stop(): void {
    this.#runtime.timers.clear(this.#timer)
    this.#timer = null
  }

  #arm(delayMs: number): void {
    this.#timer = this.#runtime.timers.set(() => {
      const left = this.#heardAt + this.#patienceMs - this.#runtime.clock.now()
      if (left > 0) this.#arm(left)
      else {
        this.#timer = null
        this.#onSilence()
      }
    }, delayMs)
  }
}
