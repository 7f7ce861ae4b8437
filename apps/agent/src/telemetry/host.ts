import { type Counter, type Gauge, type Histogram, type Meter, metrics } from '@opentelemetry/api'
import { ATTRIBUTES, DURATION_BOUNDS_S, METRICS, type MetricAttribute, type MetricName, WIRE } from '@weir/wire/model'
import type { Runtime } from '../core/clock.ts'
import type { FigureAttributes, FigureSink } from '../core/figures.ts'

const named = (attributes: FigureAttributes): Record<string, string | number | boolean> => {
  const out: Record<string, string | number | boolean> = {}
  for (const name of Object.keys(attributes) as MetricAttribute[]) {
    const value = attributes[name]
    if (value !== undefined) out[ATTRIBUTES[name]] = value
  }
  return out
}

/** A value inside the bucket: the API takes single values only. The open bucket is told as its lower bound. */
const inside = (bucket: number): number => {
  const upper = DURATION_BOUNDS_S[bucket]
  const lower = bucket === 0 ? 0 : (DURATION_BOUNDS_S[bucket - 1] ?? 0)
  return upper === undefined ? lower : (lower + upper) / 2
}

/**
 * Figures through the host's own OpenTelemetry SDK, for a host that exports everything itself.
 * Counters and gauges are exact; histograms have exact bucket counts and a sum to the width of a bucket. The resource is the host's: it says
 * `weir.figures=metrics` there.
 */
export class HostMeter implements FigureSink {
  readonly #meter: Meter = metrics.getMeter('@weir/agent')
  readonly #counters = new Map<MetricName, Counter>()
  readonly #gauges = new Map<MetricName, Gauge>()
  readonly #histograms = new Map<MetricName, Histogram>()
  readonly #runtime: Runtime
  readonly #collect: (sink: FigureSink) => void
  #intervalMs: number = WIRE.exportMs
  #timer: unknown = null

  constructor(runtime: Runtime, collect: (sink: FigureSink) => void) {
    this.#runtime = runtime
    this.#collect = collect
  }

  start(): void {
    this.#timer = this.#runtime.timers.set(() => {
      this.start()
      this.#gather()
    }, this.#intervalMs)
  }

  setIntervalMs(intervalMs: number): void {
    this.#intervalMs = intervalMs
  }

  /** Hands the last figures to the SDK, whose own shutdown sends them. */
  async close(): Promise<void> {
    this.#runtime.timers.clear(this.#timer)
    this.#gather()
  }

  #gather(): void {
    try {
      this.#collect(this)
    } catch (error) {
      this.#runtime.onError(error, 'telemetry')
    }
  }

  counter(name: MetricName, delta: number, attributes: FigureAttributes): void {
    const counter = once(this.#counters, name, () => this.#meter.createCounter(name, METRICS[name]))
    counter.add(delta, named(attributes))
  }

  gauge(name: MetricName, value: number, attributes: FigureAttributes): void {
    const gauge = once(this.#gauges, name, () => this.#meter.createGauge(name, METRICS[name]))
    gauge.record(value, named(attributes))
  }

  histogram(name: MetricName, counts: readonly number[], _sum: number, attributes: FigureAttributes): void {
    const histogram = once(this.#histograms, name, () =>
      this.#meter.createHistogram(name, {
        ...METRICS[name],
        advice: { explicitBucketBoundaries: [...DURATION_BOUNDS_S] },
      }),
    )
    const attached = named(attributes)
    for (let bucket = 0; bucket < counts.length; bucket++)
      for (let n = counts[bucket] ?? 0; n > 0; n--) histogram.record(inside(bucket), attached)
  }
}

const once = <T>(made: Map<MetricName, T>, name: MetricName, make: () => T): T => {
  const found = made.get(name)
  if (found !== undefined) return found
  const instrument = make()
  made.set(name, instrument)
  return instrument
}
