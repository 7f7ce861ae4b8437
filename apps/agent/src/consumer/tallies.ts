import type { FigureSink } from '../core/figures.ts'

/** Exact counts of one consumer since the last collection. */
export class Tallies {
  expired = 0
  wouldExpire = 0
  left = 0
  readonly #attributes: { readonly gate: string; readonly topic: string }

  constructor(gate: string, topic: string) {
    this.#attributes = { gate, topic }
  }

  collect(sink: FigureSink): void {
    if (this.expired > 0) sink.counter('weir.consumer.expired', this.expired, this.#attributes)
    if (this.wouldExpire > 0) sink.counter('weir.consumer.would_expire', this.wouldExpire, this.#attributes)
    if (this.left > 0) sink.counter('weir.consumer.left', this.left, this.#attributes)
    this.expired = 0
    this.wouldExpire = 0
    this.left = 0
  }
}
