import { AsyncResource } from 'node:async_hooks'
import type { ConsumerReport } from '@weir/wire/model'
import type { Credits, Entry, Gate, Permit, Work } from '../admission/gate.ts'
import type { Runtime } from '../core/clock.ts'
import type { FigureSink, FigureSource } from '../core/figures.ts'
import { report } from '../core/report.ts'
import { Hand } from './hand.ts'
import { type Item, itemOf, workOf } from './item.ts'
import { Lag } from './lag.ts'
import type { Fate, Message, MessageContext } from './message.ts'
import { Tallies } from './tallies.ts'
import { Valve } from './valve.ts'

export interface ConsumerOptions {
  readonly gate: Gate
  readonly topic: string
  readonly runtime: Runtime
  /** Time of day, milliseconds since 1970. */
  readonly wall: () => number
  /** Age from which the policy in force leaves messages, milliseconds; `null`: any age is worked on. */
  readonly maxAgeMs: () => number | null
  /** It takes no more. */
  readonly stopped: (consumer: Consumer) => void
}

/** What a consumer asks of the client of its broker. What a method throws is reported, and does no harm. */
export interface Tap {
  /** Fetch no more: twice the limit is held. */
  pause(): void
  /** Fetch again: less than the limit is held. */
  resume(): void
  /** Hold at most so many messages, in hand and running together: the gate's limit. */
  window(slots: number): void
}

const NO_TAP: Tap = { pause: () => undefined, resume: () => undefined, window: () => undefined }

/**
 * A gate fed by a broker. Messages that were delivered wait in hand, in order, until the gate has a slot; only then is their work begun, and only if they
 * are not too old by then. Nothing here knows a broker: an adapter hands messages in and obeys the tap.
 */
export class Consumer implements FigureSource {
  readonly gate: Gate
  readonly topic: string
  readonly #o: ConsumerOptions
  readonly #hand = new Hand<Item>()
  readonly #valve = new Valve()
  readonly #lag: Lag
  readonly #credits: Credits
  readonly #tallies: Tallies
  /** Outside of whatever work the caller belongs to: a message that has expired is work of its own. */
  readonly #arrive: (work: Work) => Entry
  #running = 0
  #tap: Tap = NO_TAP
  #window: number
  #stopped = false
  #timer: unknown = null
  #timerMs = Number.POSITIVE_INFINITY
  #idle: (() => void)[] = []

  constructor(options: ConsumerOptions) {
    const { gate, topic, runtime } = options
    this.gate = gate
    this.topic = topic
    this.#o = options
    this.#lag = new Lag(runtime.clock.now())
    this.#tallies = new Tallies(gate.name, topic)
    this.#window = gate.limit.slots
    this.#arrive = AsyncResource.bind((work: Work) => gate.tryAcquire(work))
    const head = workOf(
      () => this.#hand.head,
      topic,
      (item) => this.#remainingMs(item),
    )
    this.#credits = gate.credits(head, (permit) => this.#begin(permit))
  }

  /** The most that should be held, in hand and running: the gate's limit. */
  get window(): number {
    return this.#window
  }

  /** Messages held: in hand and running. */
  get held(): number {
    return this.#running + this.#hand.size
  }

  /** Whether fetching is to rest. */
  get paused(): boolean {
    return this.#stopped || !this.#valve.open
  }

  /** The client of the broker; it is told the window at once. One at a time, a later one takes its place. */
  tap(tap: Tap): void {
    this.#tap = tap
    this.#tell((one) => one.window(this.#window))
    if (this.paused) this.#tell((one) => one.pause())
  }

  get isConnected(): boolean {
    return this.#lag.connected
  }

  /** Whether the broker is there. While it is not, the lag is unknown. */
  connected(is: boolean): void {
    this.#lag.connected = is
  }

  /** Age of the oldest message that waits at the broker, milliseconds; 0: none waits; NaN: not known. Counts for 15 s. */
  measured(oldestAgeMs: number): void {
    this.#lag.measured(oldestAgeMs, this.#o.runtime.clock.now())
  }

  /** Something of the client's went wrong: told to the one error sink of the process. */
  fault(error: unknown): void {
    report(this.#o.runtime, error, `consumer ${this.topic}`)
  }

  /**
   * Takes a delivered message: `handler` runs once the gate has a slot for it. Resolves with what became of it, and never rejects.
   * The caller says it to the broker: `done` acknowledges, `failed` is the broker's retry, `expired` is dead-lettered, `left` is not mentioned.
   */
  take<T>(message: Message, handler: (context: MessageContext) => Promise<T> | T): Promise<Fate<T>> {
    if (this.#stopped) return Promise.resolve({ fate: 'left' })
    return new Promise((settle) => {
      const nowMs = this.#o.runtime.clock.now()
      const item = itemOf(message, handler, settle as (fate: Fate<unknown>) => void, nowMs, this.#o.wall())
      this.#lag.arrived(nowMs - item.madeMs, nowMs)
      this.#hand.add(item)
      this.#sweep(nowMs)
      if (this.#hand.size > this.#credits.wanted) this.#credits.request(this.#hand.size - this.#credits.wanted)
      this.look()
    })
  }

  /** Looks at what time and the policy changed: called about once a second, and whenever a policy is applied. */
  look(): void {
    const nowMs = this.#o.runtime.clock.now()
    this.#sweep(nowMs)
    const { slots } = this.gate.limit
    if (this.held >= slots) this.#lag.busy(nowMs)
    if (this.#stopped) return
    if (slots !== this.#window) {
      this.#window = slots
      this.#tell((tap) => tap.window(slots))
    }
    if (!this.#valve.look(this.held, slots)) return
    this.#tell((tap) => (this.#valve.open ? tap.resume() : tap.pause()))
  }

  report(): ConsumerReport {
    const nowMs = this.#o.runtime.clock.now()
    const lagMs = this.#lag.read(this.#hand.oldestAgeMs(nowMs), nowMs)
    const { topic, paused } = this
    const lag = Number.isNaN(lagMs) ? null : lagMs
    return { gate: this.gate.name, topic, lagMs: lag, inHand: this.#hand.size, running: this.#running, paused }
  }

  /** Hands over what happened since the last time. Gauges are those of all consumers of the topic together: see `Consumers`. */
  collect(sink: FigureSink): void {
    this.#tallies.collect(sink)
  }

  /** The broker has taken back what was delivered: what has not begun is left. */
  leave(): void {
    this.#credits.close()
    for (const item of this.#hand.clear()) this.#leave(item)
    this.look()
  }

  /** Takes no more and leaves what has not begun. Resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.stop()
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** As `close`, without waiting. */
  stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#credits.close()
    this.#disarm()
    for (const item of this.#hand.clear()) this.#leave(item)
    this.#tell((tap) => tap.pause())
    this.#tap = NO_TAP
    this.#o.stopped(this)
  }

  #tell(say: (tap: Tap) => void): void {
    try {
      say(this.#tap)
    } catch (error) {
      this.fault(error)
    }
  }

  get #enforced(): boolean {
    return this.gate.report().mode === 'enforce'
  }

  get #maxAgeMs(): number {
    return (this.#enforced ? this.#o.maxAgeMs() : null) ?? Number.POSITIVE_INFINITY
  }

  /** `undefined`: the policy's default deadline. */
  #remainingMs({ madeMs }: Item): number | undefined {
    const maxAgeMs = this.#maxAgeMs
    return maxAgeMs === Number.POSITIVE_INFINITY ? undefined : madeMs + maxAgeMs - this.#o.runtime.clock.now()
  }

  #begin(permit: Permit): void {
    const item = this.#hand.take()
    if (item === undefined) {
      permit.ignored()
      return
    }
    const ageMs = Math.max(0, this.#o.runtime.clock.now() - item.madeMs)
    if (ageMs >= (this.#o.maxAgeMs() ?? Number.POSITIVE_INFINITY)) this.#tallies.wouldExpire++
    this.#running++
    item.run(() => void this.#work(item, permit, ageMs))
  }

  async #work(item: Item, permit: Permit, ageMs: number): Promise<void> {
    let fate: Fate<unknown>
    try {
      const context: MessageContext = {
        ageMs,
        degraded: permit.degraded,
        get signal() {
          return permit.signal
        },
        get remainingMs() {
          return permit.remainingMs
        },
      }
      const value = await this.gate.within(item.work, permit, async () => item.handler(context))
      fate = { fate: 'done', value }
    } catch (error) {
      fate = { fate: 'failed', error }
    }
    this.#running--
    if (fate.fate === 'done') permit.success()
    else permit.failure()
    item.settle(fate)
    this.look()
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Takes out what must not begin any more; demand follows the hand. */
  #sweep(nowMs: number): void {
    const maxAgeMs = this.#maxAgeMs
    const due = this.#hand.due(nowMs, maxAgeMs)
    for (const item of due) {
      if (nowMs >= item.leaseUntilMs) this.#leave(item)
      else this.#expire(item, nowMs)
    }
    if (due.length > 0) {
      this.#credits.close()
      if (this.#hand.size > 0) this.#credits.request(this.#hand.size)
    }
    this.#arm(this.#hand.nextDueMs(maxAgeMs), nowMs)
  }

  #expire(item: Item, nowMs: number): void {
    const entry = this.#arrive({ ...item.work, deadlineMs: 0 })
    if (entry.accepted) entry.ignored()
    this.#tallies.expired++
    item.settle({ fate: 'expired', ageMs: nowMs - item.madeMs })
  }

  #leave(item: Item): void {
    this.#tallies.left++
    item.settle({ fate: 'left' })
  }

  #arm(dueMs: number, nowMs: number): void {
    if (dueMs === this.#timerMs) return
    this.#disarm()
    if (dueMs === Number.POSITIVE_INFINITY) return
    this.#timerMs = dueMs
    this.#timer = this.#o.runtime.timers.set(() => {
      this.#timerMs = Number.POSITIVE_INFINITY
      this.look()
    }, dueMs - nowMs)
  }

  #disarm(): void {
    this.#o.runtime.timers.clear(this.#timer)
    this.#timerMs = Number.POSITIVE_INFINITY
  }
}
