import type { Runtime } from './core/clock.ts'
import type { FigureSink } from './core/figures.ts'
import type { HttpClient } from './core/http.ts'
import type { Settings } from './options.ts'
import { Discard } from './telemetry/discard.ts'
import { Exporter } from './telemetry/exporter.ts'
import type { Resource } from './telemetry/otlp.ts'

/** What takes the figures of the process on time. */
export interface Meter {
  start(): void
  setIntervalMs(intervalMs: number): void
  close(withinMs: number): Promise<void>
}

export interface MeterParts {
  readonly runtime: Runtime
  readonly http: HttpClient
  readonly resource: () => Resource
  readonly collect: (sink: FigureSink) => void
}

/** The one that the options ask for. */
export const makeMeter = async ({ telemetry, metrics }: Settings, parts: MeterParts): Promise<Meter> => {
  if (telemetry === 'host') {
    const { HostMeter } = await import('./telemetry/host.ts')
    return new HostMeter(parts.runtime, parts.collect)
  }
  if (metrics === null) return new Discard(parts.runtime, parts.collect)
  return new Exporter({ ...metrics, ...parts, wall: Date.now })
}
