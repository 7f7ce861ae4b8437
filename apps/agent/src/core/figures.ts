import type { MetricAttribute, MetricName } from '@weir/wire/model'

export type FigureAttributes = Readonly<Partial<Record<MetricAttribute, string | number | boolean>>>

/** Receives one window of figures. Attributes are read during the call only. */
export interface FigureSink {
  /** What happened since the last collection; never called with 0. */
  counter(name: MetricName, delta: number, attributes: FigureAttributes): void
  gauge(name: MetricName, value: number, attributes: FigureAttributes): void
  /** `counts` per bucket of `DURATION_BOUNDS_S`, one more for the open one; `sum` in seconds. */
  histogram(name: MetricName, counts: readonly number[], sum: number, attributes: FigureAttributes): void
}

/** A gate or a dependency: counts exactly, hands over the difference since the last time, and starts anew. */
export interface FigureSource {
  collect(sink: FigureSink): void
}
