import type { Consumer } from '../consumer/consumer.ts'
import { Consumers } from '../consumer/consumers.ts'
import { realClock, realTimers } from '../core/real.ts'
import type { ConsumerHost } from './broker/consuming.ts'
import { GateRig } from './gate-rig.testkit.ts'

/** What an adapter of a broker uses of `Weir`, over one real gate. */
export class ConsumerRig implements ConsumerHost {
  readonly gates: GateRig
  readonly errors: unknown[] = []
  readonly #consumers: Consumers
  readonly #maxAgeMs: number | null

  constructor(concurrency: number, maxAgeMs: number | null = null) {
    this.gates = new GateRig({ concurrency, consumer: { maxAgeMs } })
    this.#maxAgeMs = maxAgeMs
    const runtime = { clock: realClock, timers: realTimers, random: Math.random }
    this.#consumers = new Consumers({ ...runtime, onError: (error) => this.errors.push(error) }, Date.now)
  }

  consumer(_gate: string, topic: string): Consumer {
    return this.#consumers.open(this.gates.gate, topic, () => this.#maxAgeMs)
  }

  get report() {
    return this.#consumers.reports()[0]
  }

  close(): void {
    this.#consumers.stop()
    this.gates.gate.close()
  }
}
