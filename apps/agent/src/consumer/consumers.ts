import { LIMITS } from '@weir/policy/model'
import type { ConsumerReport } from '@weir/wire/model'
import type { Gate } from '../admission/gate.ts'
import type { Runtime } from '../core/clock.ts'
import type { FigureSink, FigureSource } from '../core/figures.ts'
import { report } from '../core/report.ts'
import { Consumer } from './consumer.ts'

/** How often consumers look at what time changed, milliseconds. */
const LOOK_MS = 1_000

/** The consumers of a process: one timer for all of them, and one report for each gate and topic. */
export class Consumers implements FigureSource {
  readonly #all = new Set<Consumer>()
  readonly #runtime: Runtime
  readonly #wall: () => number
  #timer: unknown = null
  #ended = false

  constructor(runtime: Runtime, wall: () => number) {
    this.#runtime = runtime
    this.#wall = wall
  }

  /** At most 500 are told apart; one more works, and is in no report. */
  open(gate: Gate, topic: string, maxAgeMs: () => number | null): Consumer {
    const stopped = (one: Consumer) => this.#remove(one)
    const consumer = new Consumer({
      gate,
      topic: this.#named(topic),
      runtime: this.#runtime,
      wall: this.#wall,
      maxAgeMs,
      stopped,
    })
    if (this.#all.size >= LIMITS.items) this.#complain(`There are ${LIMITS.items} consumers; ${topic} is not reported.`)
    else this.#all.add(consumer)
    if (this.#all.size === 1) this.#plan()
    if (this.#ended) consumer.stop()
    return consumer
  }

  look(): void {
    for (const consumer of this.#all) consumer.look()
  }

  /** Consumers of one gate and topic as one: the longest lag, the sums of what is held. */
  reports(): ConsumerReport[] {
    const byKey = new Map<string, ConsumerReport>()
    for (const consumer of this.#all) {
      const one = consumer.report()
      const key = JSON.stringify([one.gate, one.topic])
      const other = byKey.get(key)
      byKey.set(key, other === undefined ? one : merged(one, other))
    }
    return [...byKey.values()]
  }

  collect(sink: FigureSink): void {
    for (const consumer of this.#all) consumer.collect(sink)
    for (const { gate, topic, lagMs, inHand, running, paused } of this.reports()) {
      const attributes = { gate, topic }
      if (lagMs !== null) sink.gauge('weir.consumer.lag', lagMs / 1_000, attributes)
      sink.gauge('weir.consumer.in_hand', inHand, attributes)
      sink.gauge('weir.consumer.running', running, attributes)
      sink.gauge('weir.consumer.paused', Number(paused), attributes)
    }
  }

  /** All stop fetching, and leave what has not begun. Leaves no timer. */
  stop(): void {
    for (const consumer of [...this.#all]) consumer.stop()
  }

  /** Stops all, and whichever is opened later at once. */
  end(): void {
    this.#ended = true
    this.stop()
  }

  #remove(consumer: Consumer): void {
    this.#all.delete(consumer)
    if (this.#all.size === 0) this.#runtime.timers.clear(this.#timer)
  }

  #named(topic: string): string {
    const name = cleaned(String(topic))
    if (name !== topic)
      this.#complain(`The topic ${JSON.stringify(String(topic).slice(0, 140))} is named ${name} here.`)
    return name
  }

  #complain(message: string): void {
    report(this.#runtime, new Error(message), 'consumer')
  }

  #plan(): void {
    this.#runtime.timers.clear(this.#timer)
    this.#timer = this.#runtime.timers.set(() => {
      this.#plan()
      this.look()
    }, LOOK_MS)
  }
}

const merged = (a: ConsumerReport, b: ConsumerReport): ConsumerReport => ({
  gate: a.gate,
  topic: a.topic,
  lagMs: a.lagMs === null || b.lagMs === null ? (a.lagMs ?? b.lagMs) : Math.max(a.lagMs, b.lagMs),
  inHand: a.inHand + b.inHand,
  running: a.running + b.running,
  paused: a.paused && b.paused,
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROL = /[\u0000-\u001f\u007f]/g

/** What a report may say: control characters and halves of characters go, the rest is cut to its bytes. */
const cleaned = (topic: string): string => {
  let name = topic.replace(CONTROL, '').slice(0, LIMITS.topicBytes)
  while (Buffer.byteLength(name) > LIMITS.topicBytes) name = name.slice(0, -1)
  return name.toWellFormed() || 'unnamed'
}
