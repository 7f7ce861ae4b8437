import { type Meter, metrics } from '@opentelemetry/api'
import type { Weir } from '@weir/agent'
import { ATTRIBUTES } from '@weir/wire/model'

type Attributes = Readonly<Record<string, unknown>>

/**
 * The agent's own counts, as it hands them to a host's OpenTelemetry: exact, by gate or dependency and metric, and once more with the reason and the
 * class beside it.
 */
export class AgentBooks {
  readonly #counts = new Map<string, number>()

  /** Registers itself as the process's meter provider: before the agent starts. */
  constructor() {
    const nothing = { record: () => undefined }
    const meter = {
      createCounter: (name: string) => ({
        add: (value: number, attributes: Attributes) => this.#book(name, value, attributes),
      }),
      createGauge: () => nothing,
      createHistogram: () => nothing,
    }
    metrics.setGlobalMeterProvider({ getMeter: () => meter as unknown as Meter })
  }

  /** With what the agent has not handed over yet, and what runs and waits now. */
  close(weir: Weir): Readonly<Record<string, number>> {
    const { gates, dependencies } = weir.status()
    const sink = {
      counter: (name: string, value: number, given: Attributes) =>
        this.#book(name, value, {
          [ATTRIBUTES.gate]: given.gate,
          [ATTRIBUTES.dependency]: given.dependency,
          [ATTRIBUTES.reason]: given.reason,
          [ATTRIBUTES.class]: given.class,
        }),
      gauge: () => undefined,
      histogram: () => undefined,
    }
    for (const { name, active, zombies, waiting } of gates) {
      weir.gate(name).collect(sink)
      this.#counts.set(`${name} running`, active + zombies)
      this.#counts.set(`${name} waiting`, waiting)
    }
    for (const { name, inFlight } of dependencies) {
      weir.dependency(name).collect(sink)
      this.#counts.set(`${name} running`, inFlight)
    }
    return Object.fromEntries(this.#counts)
  }

  #book(metric: string, value: number, attributes: Attributes): void {
    const of = attributes[ATTRIBUTES.gate] ?? attributes[ATTRIBUTES.dependency]
    const short = metric.replace(/^weir\.(gate|dependency)\./, '')
    const apart = [attributes[ATTRIBUTES.reason], attributes[ATTRIBUTES.class]].filter((part) => part !== undefined)
    for (const key of new Set([`${of} ${short}`, [of, short, ...apart].join(' ')]))
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + value)
  }
}
