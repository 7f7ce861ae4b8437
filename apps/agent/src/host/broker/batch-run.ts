import type { EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { Consumer } from '../../consumer/consumer.ts'
import type { MessageContext } from '../../consumer/message.ts'
import { type ConsumeOptions, readMessage } from './consuming.ts'

/** A message of Kafka, and where it comes from. */
export interface TopicMessage {
  readonly topic: string
  readonly partition: number
  readonly message: KafkaMessage
}

/** How often a batch that waits looks up and lets kafkajs send its heartbeat, which it does where one is due, milliseconds. */
const BEAT_MS = 1_000

/** When a message was made, milliseconds since 1970; a topic without timestamps bears -1. */
const timestampMs = ({ timestamp }: KafkaMessage): number | undefined =>
  Number(timestamp) > 0 ? Number(timestamp) : undefined

/**
 * One fetched batch: its messages are handed in while the consumer has room for them, and their offsets are resolved in order as they end. It is over early
 * when a message fails or is left, or when kafkajs stops, seeks or rebalances; then no more is handed in, and what runs is waited for.
 */
export class BatchRun {
  readonly #consumer: Consumer
  readonly #payload: EachBatchPayload
  readonly #handler: (message: TopicMessage, context: MessageContext) => unknown
  readonly #o: ConsumeOptions<TopicMessage>
  readonly #ended = new Set<number>()
  #next = 0
  #resolved = 0
  #open = 0
  #over = false
  #problem: { readonly error: unknown } | null = null
  #woken = Promise.withResolvers<void>()

  constructor(
    consumer: Consumer,
    payload: EachBatchPayload,
    handler: (message: TopicMessage, context: MessageContext) => unknown,
    options: ConsumeOptions<TopicMessage>,
  ) {
    this.#consumer = consumer
    this.#payload = payload
    this.#handler = handler
    this.#o = options
  }

  /** Something changed that it may wait for. */
  wake(): void {
    this.#woken.resolve()
  }

  /** Resolves when nothing of it runs any more; rejects with what kafkajs is to know of. */
  async run(): Promise<void> {
    const beat = setInterval(() => this.wake(), BEAT_MS)
    try {
      while (true) {
        this.#woken = Promise.withResolvers()
        const { promise } = this.#woken
        this.#fill()
        const last = this.#open === 0
        await this.#tell()
        if (last) break
        await promise
      }
    } finally {
      clearInterval(beat)
    }
    if (this.#problem) throw this.#problem.error
  }

  /** One is always in hand, so that a batch beside others gets on too. */
  #fill(): void {
    const { batch, isRunning, isStale } = this.#payload
    if (isStale() || !isRunning()) this.#end()
    while (!this.#over && this.#next < batch.messages.length && (this.#open === 0 || !this.#consumer.paused))
      void this.#take(this.#next++)
  }

  async #take(index: number): Promise<void> {
    const { topic, partition, messages } = this.#payload.batch
    const message = messages[index]
    if (message === undefined) return
    const one = { topic, partition, message }
    this.#open++
    try {
      const said = readMessage(this.#consumer, this.#o, one, timestampMs(message))
      const end = await this.#consumer.take(said, (context) => this.#work(one, context))
      if (end.fate === 'failed') throw end.error
      if (end.fate === 'expired') await this.#o.deadLetter?.(one, end.ageMs)
      if (end.fate === 'left') this.#end()
      else this.#ended.add(index)
    } catch (cause) {
      // kafkajs gives up on some errors of its own, which a handler's producer may throw: it sees none of them.
      this.#fail(new Error(`Offset ${message.offset} of ${topic}[${partition}] failed.`, { cause }))
    }
    this.#open--
    this.wake()
  }

  /** A failure ends the batch before its slot goes to the next message. */
  async #work(one: TopicMessage, context: MessageContext): Promise<unknown> {
    try {
      return await this.#handler(one, context)
    } catch (error) {
      this.#end()
      throw error
    }
  }

  async #tell(): Promise<void> {
    const { batch, resolveOffset, isStale, commitOffsetsIfNecessary, heartbeat } = this.#payload
    for (; this.#ended.delete(this.#resolved); this.#resolved++) {
      const { offset } = batch.messages[this.#resolved] ?? {}
      if (offset !== undefined && !isStale()) resolveOffset(offset)
    }
    try {
      await commitOffsetsIfNecessary()
      await heartbeat()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#problem ??= { error }
    this.#end()
  }

  /** Nothing more of it begins: kafkajs fetches again what is not resolved. */
  #end(): void {
    if (this.#over) return
    this.#over = true
    this.#consumer.leave()
  }
}
