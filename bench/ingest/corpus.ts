import { Dependency, Gate, type Work } from '@weir/agent'
import { CRITICALITIES, DEFAULT_TENANTS, policySchema, SOLE, UNLIMITED } from '@weir/policy'
import { seededRandom, virtualRuntime } from '@weir/testkit'
import { RESOURCE } from '@weir/wire'
import { encodeMetrics, encodeSpans, type Resource } from '../../apps/agent/src/telemetry/otlp.ts'
import { type FinishedSpan, Spans } from '../../apps/agent/src/telemetry/spans.ts'
import { OpenWindow } from '../../apps/agent/src/telemetry/window.ts'
import { metricsProtobuf, tracesProtobuf } from '../../apps/control-plane/src/testing/otlp-sample.ts'

export interface SpansExport {
  readonly body: Uint8Array
  readonly items: number
}
export interface MetricsExport {
  readonly text: string
  /** Points. */
  readonly items: number
  /** Work at gates that it tells of. */
  readonly offered: number
  protobuf(): Uint8Array
}

const OFFERED = 'weir.gate.offered'

export const SERVICE = 'orders'
export const ENVIRONMENT = 'bench'
const TENANTS = 20
const ARRIVALS = 2_000
const GATES = ['checkout', 'search'] as const
const DEPENDENCIES = ['payments', 'stock'] as const

const { gates, dependencies } = policySchema.parse({
  gates: Object.fromEntries(
    GATES.map((name) => [name, { concurrency: 40, queue: { maxWaitMs: 200 }, classes: { highest: 'critical-plus' } }]),
  ),
  dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, { ceiling: 40, timeoutMs: 900 }])),
})

/** One second of one instance: real gates and dependencies on virtual time, offered about twice what they can do. */
export class Instance {
  readonly #runtime: ReturnType<typeof virtualRuntime>
  readonly #random: () => number
  readonly #gates: readonly Gate[]
  readonly #dependencies: readonly Dependency[]
  readonly #resource: Resource
  readonly #spans: FinishedSpan[] = []
  #collectedMs = 0
  #sequence = 0

  /** `spanEvery`: every so many decisions one is told as a span; 0 = none. */
  constructor(seed: number, spanEvery = 0) {
    this.#runtime = virtualRuntime(seed)
    this.#random = seededRandom(seed)
    this.#resource = {
      service: SERVICE,
      environment: ENVIRONMENT,
      instance: `i${seed}`,
      boot: `b${seed}`,
      version: '0',
    }
    const spans = new Spans({
      runtime: this.#runtime,
      wall: () => Date.now(),
      active: () => null,
      onSpan: (span) => this.#spans.push(span),
    })
    const sampler = () => {
      let decisions = 0
      return {
        next: () => (spanEvery > 0 && decisions++ % spanEvery === 0 ? spanEvery : 0),
        refusal: () => false,
        begin: spans.begin,
      }
    }
    const rules = { tenants: { ...DEFAULT_TENANTS, default: UNLIMITED }, quotas: {}, split: SOLE, revision: 7 } as const
    this.#gates = GATES.map((name) => {
      const policy = gates[name]
      if (policy === undefined) throw new Error(`no gate ${name}`)
      return new Gate({ name, runtime: this.#runtime, settings: { policy, ...rules }, sampler: sampler() })
    })
    this.#dependencies = DEPENDENCIES.map((name) => {
      const dependency = new Dependency(name, this.#runtime, sampler())
      const policy = dependencies[name]
      if (policy !== undefined) dependency.apply({ policy, revision: 7 })
      return dependency
    })
  }

  /** Works for a second. */
  async live(): Promise<void> {
    const { time } = this.#runtime
    for (let i = 0; i < ARRIVALS; i++) {
      time.advance(1_000 / ARRIVALS)
      const of = <T>(list: readonly T[]): T => list[Math.floor(this.#random() * list.length)] as T
      const tenant = `tenant-${Math.floor(this.#random() ** 2 * TENANTS)}`
      void this.#arrive(of(this.#gates), { tenant, criticality: of(CRITICALITIES), deadlineMs: 500 })
      if (i % 4 === 0) {
        const answer = this.#random() < 0.02 ? Promise.reject(new Error('down')) : this.#later(20 + this.#random() * 30)
        of(this.#dependencies)
          .call(() => answer)
          .catch(() => undefined)
        answer.catch(() => undefined)
      }
      if (i % 16 === 0) await time.run(0)
    }
    await time.run(0)
  }

  async #arrive(gate: Gate, work: Work): Promise<void> {
    const entry = await gate.acquire(work)
    if (!entry.accepted) return
    await this.#later(30 + this.#random() * 60)
    if (this.#random() < 0.01) entry.failure()
    else entry.success()
  }

  #later(ms: number): Promise<void> {
    return new Promise((resolve) => this.#runtime.time.set(resolve, ms))
  }

  /** The window since the last one, its end at `endEpochMs`, as the agent's own JSON, or as a Collector sends it. */
  metricsJson(endEpochMs: number): MetricsExport {
    const window = new OpenWindow(this.#collectedMs)
    for (const source of [...this.#gates, ...this.#dependencies]) source.collect(window)
    this.#collectedMs = this.#runtime.clock.now()
    const times = { startEpochMs: endEpochMs - 1_000, endEpochMs }
    const text = encodeMetrics(this.#resource, { sequence: ++this.#sequence, ...times, series: [...window.series] })
    const offered = [...window.series].reduce((sum, { name, value }) => sum + (name === OFFERED ? value : 0), 0)
    return { text, items: window.size, offered, protobuf: () => metricsProtobuf(JSON.parse(text)) }
  }

  /** Spans since the last time, of a sender whose figures are read from them. */
  spans(): SpansExport {
    const request = JSON.parse(encodeSpans(this.#resource, this.#spans))
    for (const { key, value } of request.resourceSpans[0].resource.attributes)
      if (key === RESOURCE.figures) value.stringValue = 'spans'
    return { body: tracesProtobuf(request), items: this.#spans.splice(0).length }
  }
}
