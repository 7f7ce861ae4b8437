import type { ConsumerRunConfig, EachBatchPayload, Consumer as KafkaClient } from 'kafkajs'
import type { Consumer } from '../consumer/consumer.ts'
import type { MessageContext } from '../consumer/message.ts'
import { BatchRun, type TopicMessage } from './broker/batch-run.ts'
import type { ConsumeOptions, ConsumerHost } from './broker/consuming.ts'

export type { MessageContext } from '../consumer/message.ts'
export type { TopicMessage } from './broker/batch-run.ts'
export type { ConsumeOptions, ConsumerHost } from './broker/consuming.ts'

export interface KafkaConsumeOptions extends ConsumeOptions<TopicMessage> {
  /** The one topic that the consumer is subscribed to. */
  readonly topic: string
  /** Goes with `consumer.run`. */
  readonly run?: Pick<
    ConsumerRunConfig,
    'autoCommitInterval' | 'autoCommitThreshold' | 'partitionsConsumedConcurrently'
  >
}

export interface KafkaConsumer {
  /** Whether it is in its group, and not at rest. */
  readonly consuming: boolean
  /** Leaves what has not begun, waits for what runs, resolves it and disconnects the client. Never rejects. */
  close(): Promise<void>
}

/** A client that does not say goodbye for so long is left alone, milliseconds; it waits for its last fetch, 5 s by default. */
const CLOSE_WITHIN_MS = 10_000

/**
 * Runs a consumer of kafkajs 2, connected and subscribed but not yet running, behind a gate: messages of a batch run side by side, as many as the gate's
 * limit. Offsets are resolved in order, up to the first message that has not ended. One that is too old goes to `deadLetter`, without it it is skipped. One
 * that fails, or whose `deadLetter` does, ends its batch: kafkajs fetches again from there, after its own back-off. What `consumer.run` rejects with goes to
 * the agent's `onError`.
 */
export const weirConsume = (
  weir: ConsumerHost,
  client: KafkaClient,
  handler: (message: TopicMessage, context: MessageContext) => unknown,
  options: KafkaConsumeOptions,
): KafkaConsumer =>
  new GatedConsumer(weir.consumer(options.gate ?? options.topic, options.topic), client, handler, options)

class GatedConsumer implements KafkaConsumer {
  readonly #consumer: Consumer
  readonly #client: KafkaClient
  readonly #topics: { readonly topic: string }[]
  readonly #forget: (() => void)[]
  readonly #runs = new Map<BatchRun, Promise<void>>()
  #running = false
  #rests = false
  #closing: Promise<void> | undefined

  constructor(
    consumer: Consumer,
    client: KafkaClient,
    handler: (message: TopicMessage, context: MessageContext) => unknown,
    options: KafkaConsumeOptions,
  ) {
    this.#consumer = consumer
    this.#client = client
    this.#topics = [{ topic: options.topic }]
    const { GROUP_JOIN, CRASH, DISCONNECT } = client.events
    this.#forget = [
      client.on(GROUP_JOIN, () => consumer.connected(true)),
      client.on(CRASH, () => consumer.connected(false)),
      client.on(DISCONNECT, () => consumer.connected(false)),
    ]
    consumer.connected(false)
    consumer.tap({
      pause: () => this.#rest(true),
      resume: () => this.#rest(false),
      window: () => undefined,
    })
    const eachBatch = (payload: EachBatchPayload) => this.#track(new BatchRun(consumer, payload, handler, options))
    void this.#run({ ...options.run, eachBatchAutoResolve: false, eachBatch })
  }

  get consuming(): boolean {
    return this.#consumer.isConnected && !this.#rests
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #run(config: ConsumerRunConfig): Promise<void> {
    try {
      await this.#client.run(config)
      this.#running = true
      if (this.#rests) this.#rest(true)
    } catch (error) {
      this.#consumer.fault(error)
    }
  }

  /** A client that does not run yet knows no pause: it is told when it does. */
  #rest(rests: boolean): void {
    this.#rests = rests
    if (this.#running && rests) this.#client.pause(this.#topics)
    else if (this.#running) this.#client.resume(this.#topics)
    this.#wake()
  }

  #wake(): void {
    for (const run of this.#runs.keys()) run.wake()
  }

  #track(run: BatchRun): Promise<void> {
    const ended = run.run().finally(() => this.#runs.delete(run))
    this.#runs.set(run, ended)
    return ended
  }

  async #close(): Promise<void> {
    await this.#consumer.close()
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, CLOSE_WITHIN_MS)
    Promise.allSettled(this.#runs.values())
      .then(() => this.#client.disconnect())
      .catch((error: unknown) => this.#consumer.fault(error))
      .finally(resolve)
    await promise
    clearTimeout(timer)
    this.#consumer.connected(false)
    for (const forget of this.#forget) forget()
  }
}
