import type { IncomingMessage, ServerResponse } from 'node:http'
import { settled, virtualRuntime } from '@weir/testkit'
import { type Export, TestControlPlane } from './control-plane.testkit.ts'
import type { FigureSink } from './core/figures.ts'
import { nodeHttp } from './http.ts'
import { Exporter } from './telemetry/exporter.ts'

export const WALL_0 = 1_700_000_000_000

interface Point {
  asInt?: string
  startTimeUnixNano: string
  timeUnixNano: string
  attributes: { key: string; value: { stringValue?: string } }[]
}
interface Metric {
  name: string
  sum?: { aggregationTemporality: number; isMonotonic: boolean; dataPoints: Point[] }
  gauge?: { dataPoints: Point[] }
  histogram?: { aggregationTemporality: number; dataPoints: (Point & Record<string, unknown>)[] }
}

export const attribute = (exported: Export, key: string): unknown =>
  Object.values(
    exported.body.resourceMetrics[0]?.resource.attributes.find((entry) => entry.key === key)?.value ?? {},
  )[0]

export const metricsOf = (exported: Export): Metric[] => {
  const scope = exported.body.resourceMetrics[0]?.scopeMetrics[0] as { metrics: Metric[] } | undefined
  return scope?.metrics ?? []
}

export type Answer = (request: IncomingMessage, response: ServerResponse, taken: () => void) => void

export const accept: Answer = (_request, response, taken) => {
  taken()
  response.writeHead(200).end('{}')
}

export const answer =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, headers).end()
  }

/** An exporter on virtual time that sends to a real server. */
export class ExportRig {
  readonly plane: TestControlPlane
  readonly runtime = virtualRuntime()
  readonly http = nodeHttp()
  readonly exporter: Exporter
  attempts = 0
  wallStepMs = 0
  /** Counted and not yet collected. */
  pending = 0
  /** Collected in all. */
  handed = 0
  fill = (sink: FigureSink): void => {
    if (this.pending > 0) sink.counter('weir.gate.offered', this.pending, { gate: 'a', class: 'critical', tenant: 't' })
    this.handed += this.pending
    this.pending = 0
    sink.gauge('weir.gate.limit', 20, { gate: 'a' })
  }

  private constructor(plane: TestControlPlane) {
    this.plane = plane
    this.answers(accept)
    this.exporter = new Exporter({
      url: `http://127.0.0.1:${plane.port}/v1/metrics`,
      key: 'the-key',
      runtime: this.runtime,
      wall: () => WALL_0 + this.runtime.time.now() + this.wallStepMs,
      http: this.http,
      resource: () => ({ service: 'orders', environment: 'test', instance: 'one', boot: 'b1', version: '0.1.0' }),
      collect: (sink) => this.fill(sink),
    })
  }

  static async start(): Promise<ExportRig> {
    return new ExportRig(await TestControlPlane.start())
  }

  async stop(): Promise<void> {
    this.http.close()
    await this.plane.stop()
  }

  answers(how: Answer): void {
    this.plane.onMetrics = (request, response, taken) => {
      this.attempts++
      how(request, response, taken)
    }
  }

  /** Lets real sockets do what they have to do while virtual time stands. */
  async breathe(done: () => boolean): Promise<void> {
    for (let i = 0; i < 200_000 && !done(); i++) await settled()
    if (!done()) throw new Error('What was waited for did not happen.')
  }

  /** One second of work of `count`; an export that it starts is given the time to arrive. */
  async second(count = 1): Promise<void> {
    this.pending += count
    const { attempts } = this
    this.runtime.time.advance(1_000)
    for (let i = 0; i < 200 && this.attempts === attempts; i++) await settled()
    for (let i = 0; i < 50; i++) await settled()
  }

  total(name: string, exports: readonly Export[] = this.plane.exports): number {
    return exports
      .flatMap(metricsOf)
      .filter((metric) => metric.name === name)
      .flatMap((metric) => metric.sum?.dataPoints ?? [])
      .reduce((sum, point) => sum + Number(point.asInt), 0)
  }

  /** What a store keeps: one of each (boot, sequence). */
  distinct(): Export[] {
    const key = (exported: Export) => `${attribute(exported, 'weir.boot')}/${attribute(exported, 'weir.sequence')}`
    return [...new Map(this.plane.exports.map((exported) => [key(exported), exported])).values()]
  }
}
