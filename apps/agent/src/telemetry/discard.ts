import { WIRE } from '@weir/wire/model'
import type { Runtime } from '../core/clock.ts'
import type { FigureSink } from '../core/figures.ts'

const nobody: FigureSink = { counter: () => undefined, gauge: () => undefined, histogram: () => undefined }

/** Where nobody wants figures: they are taken and let go, so that what is kept for a collection stays small. */
export class Discard {
  readonly #runtime: Runtime
  readonly #collect: (sink: FigureSink) => void
  #timer: unknown = null

  constructor(runtime: Runtime, collect: (sink: FigureSink) => void) {
    this.#runtime = runtime
    this.#collect = collect
  }

  start(): void {
    this.#timer = this.#runtime.timers.set(() => {
      this.start()
      this.#collect(nobody)
    }, WIRE.sparseExportMs)
  }

  setIntervalMs(): void {}

  async close(): Promise<void> {
    this.#runtime.timers.clear(this.#timer)
  }
}
