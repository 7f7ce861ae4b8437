import { AGENT_PATHS } from '@weir/wire/model'
import type { Runtime } from './core/clock.ts'
import type { FigureSink } from './core/figures.ts'
import type { HttpClient } from './core/http.ts'
import { NO_SAMPLES, type Sample, type Sampler, type SampleStart } from './core/sampling.ts'
import type { Settings } from './options.ts'
import { Discard } from './telemetry/discard.ts'
import { Exporter } from './telemetry/exporter.ts'
import type { Resource } from './telemetry/otlp.ts'
import { SampleRate } from './telemetry/sample-rate.ts'
import { SpanExporter } from './telemetry/span-exporter.ts'
import { Spans } from './telemetry/spans.ts'
import { TenantNames } from './telemetry/tenant-names.ts'
import { activeSpan } from './telemetry/trace-context.ts'

/** What takes the figures and the samples of the process. */
export interface Meter {
  start(): void
  setIntervalMs(intervalMs: number): void
  close(withinMs: number): Promise<void>
  /** Of one more gate or dependency. */
  sampler(): Sampler
}

export interface MeterParts {
  readonly runtime: Runtime
  readonly http: HttpClient
  readonly resource: () => Resource
  readonly collect: (sink: FigureSink) => void
}

const REFILL_MS = 1_000

/** A meter of figures, and the bounded rate of samples beside it. */
class SampledMeter implements Meter {
  readonly #runtime: Runtime
  readonly #figures: Omit<Meter, 'sampler'>
  readonly #spans: Pick<SpanExporter, 'start' | 'close'> | null
  readonly #begin: (start: SampleStart) => Sample
  readonly #rate: SampleRate
  #timer: unknown = null

  constructor(
    runtime: Runtime,
    figures: Omit<Meter, 'sampler'>,
    begin: (start: SampleStart) => Sample,
    spans: SpanExporter | null,
  ) {
    this.#runtime = runtime
    this.#figures = figures
    this.#begin = begin
    this.#spans = spans
    this.#rate = new SampleRate(runtime.random)
  }

  sampler(): Sampler {
    return this.#rate.sampler(this.#begin)
  }

  start(): void {
    this.#figures.start()
    this.#spans?.start()
    this.#plan()
  }

  setIntervalMs(intervalMs: number): void {
    this.#figures.setIntervalMs(intervalMs)
  }

  async close(withinMs: number): Promise<void> {
    this.#runtime.timers.clear(this.#timer)
    await Promise.all([this.#figures.close(withinMs), this.#spans?.close(withinMs)])
  }

  #plan(): void {
    this.#timer = this.#runtime.timers.set(() => {
      this.#plan()
      this.#rate.refill()
    }, REFILL_MS)
  }
}

/** The one that the options ask for. */
export const makeMeter = async ({ telemetry, otlp, tenantKey }: Settings, parts: MeterParts): Promise<Meter> => {
  const { runtime } = parts
  const names = tenantKey === null ? null : new TenantNames(tenantKey)
  const collect = (sink: FigureSink) => parts.collect(names?.sink(sink) ?? sink)
  const samples = (begin: (start: SampleStart) => Sample) => names?.begin(begin) ?? begin
  if (telemetry === 'host') {
    const { HostMeter } = await import('./telemetry/host.ts')
    const { hostSpans } = await import('./telemetry/host-spans.ts')
    return new SampledMeter(runtime, new HostMeter(runtime, collect), samples(hostSpans(runtime)), null)
  }
  if (otlp === null) return Object.assign(new Discard(runtime, collect), { sampler: () => NO_SAMPLES })
  const { base, key } = otlp
  const sent = { ...parts, key, wall: Date.now }
  const spans = new SpanExporter({ ...sent, url: `${base}${AGENT_PATHS.traces}` })
  const told = new Spans({ ...sent, active: await activeSpan(), onSpan: (span) => spans.take(span) })
  const figures = new Exporter({
    ...sent,
    url: `${base}${AGENT_PATHS.metrics}`,
    collect: (sink) => {
      collect(sink)
      spans.collect(sink)
    },
  })
  return new SampledMeter(runtime, figures, samples(told.begin), spans)
}
