import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { DecisionIntake } from '../../features/decisions/decision-intake.ts'
import type { Ingest } from '../../features/outcomes/ingest.ts'
import type { KeyRate } from '../../features/outcomes/key-rate.ts'
import { OwnMetrics } from '../../features/self/own-metrics.ts'

export interface Watched {
  readonly ingest: Pick<Ingest, 'counts' | 'waiting'> & { readonly books: Pick<Ingest['books'], 'off'> }
  readonly rate: Pick<KeyRate, 'refused'>
  readonly decisions: Pick<DecisionIntake, 'counts'>
  readonly agents: { readonly connected: number; readonly misbehaviours: Readonly<Record<string, number>> }
}

/** By prom-client: what this replica counts since its start, beside the process's own figures. */
export class PromMetrics extends OwnMetrics {
  readonly #registry = new Registry()

  constructor({ ingest, rate, decisions, agents }: Watched) {
    super()
    collectDefaultMetrics({ register: this.#registry })
    this.#counter('weir_ingest_windows_total', 'Windows of figures, by what became of them', 'fate', () => ({
      taken: ingest.counts.windows,
      repeated: ingest.counts.repeats,
    }))
    this.#counter('weir_ingest_items_refused_total', 'Points and spans that were not taken', 'why', () => ({
      foreign: ingest.counts.foreign,
      unreadable: ingest.counts.refused - ingest.counts.foreign,
    }))
    this.#counter('weir_ingest_requests_refused_total', 'Requests that were told to come again', 'why', () => ({
      key: rate.refused,
      backlog: ingest.counts.turnedAway,
    }))
    this.#gauge('weir_ingest_windows_waiting', 'Windows that wait for their transaction', () => ingest.waiting)
    this.#offBooks(ingest.books)
    this.#counter('weir_decisions_total', 'Sampled refusals, by what became of them', 'fate', () => ({
      ...decisions.counts,
    }))
    this.#gauge('weir_agents_connected', 'Sockets of agents on this replica', () => agents.connected)
    this.#counter(
      'weir_agent_misbehaviours_total',
      'Sockets of agents that were closed for what they did',
      'how',
      () => ({
        ...agents.misbehaviours,
      }),
    )
  }

  override get contentType(): string {
    return this.#registry.contentType
  }

  override text(): Promise<string> {
    return this.#registry.metrics()
  }

  /** Of counts that are kept elsewhere. */
  #counter(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count)
      },
    })
  }

  #offBooks(books: Watched['ingest']['books']): void {
    new Gauge({
      name: 'weir_instances_off_books',
      help: 'Instances that send to this replica and whose figures do not add up',
      labelNames: ['environment', 'service'],
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const { environment, service } of books.off(Date.now())) this.inc({ environment, service })
      },
    })
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read())
      },
    })
  }
}
