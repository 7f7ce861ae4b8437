import type { Channel, ChannelModel, ConsumeMessage, Options } from 'amqplib'
import type { Consumer } from '../consumer/consumer.ts'
import type { Fate, MessageContext } from '../consumer/message.ts'
import { backoffMs } from '../core/backoff.ts'
import { type ConsumeOptions, type ConsumerHost, readMessage } from './broker/consuming.ts'
import { Subscription } from './broker/subscription.ts'

export type { MessageContext } from '../consumer/message.ts'
export type { ConsumeOptions, ConsumerHost } from './broker/consuming.ts'

export interface AmqpConsumeOptions extends ConsumeOptions<ConsumeMessage> {
  /** Opens a connection: `() => connect(url)`. Called again, with back-off, whenever the one that it gave is lost. */
  readonly connect: () => Promise<ChannelModel>
  /** When a message was made, milliseconds since 1970. Default: its property `timestamp`, seconds by the protocol, milliseconds where it is that large. */
  readonly madeAtMs?: (message: ConsumeMessage) => number | undefined
  /** Goes with every `basic.consume`. */
  readonly consume?: Omit<Options.Consume, 'noAck'>
}

export interface AmqpConsumer {
  /** Whether messages are being delivered. */
  readonly consuming: boolean
  /** Leaves what has not begun, waits for what runs, acknowledges it and closes the connection. Never rejects. */
  close(): Promise<void>
}

const RECONNECT_MIN_MS = 500
const RECONNECT_MAX_MS = 30_000
/** A connection that does not say goodbye for so long is gone, milliseconds. */
const CLOSE_WITHIN_MS = 2_000
/** Seconds of any year that matters are fewer, milliseconds more. */
const SURELY_MS = 100_000_000_000

const timestampMs = ({ properties }: ConsumeMessage): number | undefined => {
  const given: unknown = properties.timestamp
  if (typeof given !== 'number') return undefined
  return given < SURELY_MS ? given * 1_000 : given
}

/**
 * Consumes a queue of RabbitMQ (AMQP 0-9-1, amqplib 2) behind a gate: as many messages unacknowledged as the gate's limit. One that is too old goes to
 * `deadLetter` and is acknowledged, without it it is rejected, to the queue's dead-letter exchange. One that fails is delivered once more, then rejected.
 * The connection is opened anew whenever it is lost; what was in hand then is left, since the broker delivers it again.
 */
export const weirConsume = (
  weir: ConsumerHost,
  queue: string,
  handler: (message: ConsumeMessage, context: MessageContext) => unknown,
  options: AmqpConsumeOptions,
): AmqpConsumer => new QueueConsumer(weir.consumer(options.gate ?? queue, queue), queue, handler, options)

class QueueConsumer implements AmqpConsumer {
  readonly #consumer: Consumer
  readonly #queue: string
  readonly #handler: (message: ConsumeMessage, context: MessageContext) => unknown
  readonly #o: AmqpConsumeOptions
  readonly #fault: (error: unknown) => void
  #connection: ChannelModel | null = null
  #subscription: Subscription | null = null
  #failures = 0
  #retry: NodeJS.Timeout | undefined
  #closed = false
  #opening: Promise<void>

  constructor(
    consumer: Consumer,
    queue: string,
    handler: (message: ConsumeMessage, context: MessageContext) => unknown,
    options: AmqpConsumeOptions,
  ) {
    this.#consumer = consumer
    this.#queue = queue
    this.#handler = handler
    this.#o = options
    this.#fault = (error) => consumer.fault(error)
    consumer.connected(false)
    consumer.tap({
      pause: () => this.#subscription?.want(null),
      resume: () => this.#subscription?.want(consumer.window),
      window: (slots) => {
        if (!consumer.paused) this.#subscription?.want(slots)
      },
    })
    this.#opening = this.#open()
  }

  get consuming(): boolean {
    return this.#subscription?.active ?? false
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#retry)
    this.#consumer.stop()
    await this.#opening
    await this.#consumer.close()
    // One more turn: what the last handler led to is said to the broker first.
    await new Promise((resolve) => setImmediate(resolve))
    await this.#hangUp()
  }

  async #open(): Promise<void> {
    try {
      const connection = await this.#o.connect()
      this.#connection = connection
      connection.on('error', this.#fault)
      connection.on('close', () => this.#lost(connection))
      const channel = await connection.createChannel()
      channel.on('error', this.#fault)
      channel.on('close', () => this.#lost(connection))
      const subscription = new Subscription(channel, this.#queue, this.#o.consume ?? {}, {
        message: (message) => void this.#take(channel, message),
        ended: () => this.#lost(connection),
        fault: this.#fault,
      })
      this.#subscription = subscription
      if (this.#closed) return
      subscription.want(this.#consumer.paused ? null : this.#consumer.window)
      await subscription.settled
      this.#failures = 0
      this.#consumer.connected(this.#connection === connection)
    } catch (error) {
      this.#fault(error)
      this.#lost(this.#connection)
    }
  }

  /** The broker has taken back all that was delivered: what has not begun is left, and a new connection is opened after a while. */
  #lost(connection: ChannelModel | null): void {
    if (connection !== this.#connection || (connection === null && this.#retry !== undefined)) return
    this.#connection = null
    this.#subscription?.drop()
    this.#subscription = null
    connection?.close().catch(() => undefined)
    this.#consumer.connected(false)
    if (this.#closed) return
    this.#consumer.leave()
    const waitMs = backoffMs(this.#failures++, RECONNECT_MIN_MS, RECONNECT_MAX_MS, Math.random)
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#opening = this.#open()
    }, waitMs)
  }

  async #take(channel: Channel, message: ConsumeMessage): Promise<void> {
    const madeAtMs = this.#o.madeAtMs ?? timestampMs
    const said = readMessage(this.#consumer, this.#o, message, madeAtMs(message))
    const end = await this.#consumer.take(said, (context) => this.#handler(message, context))
    const again = !message.fields.redelivered
    try {
      if (end.fate === 'done') channel.ack(message)
      else if (end.fate === 'failed') channel.nack(message, false, again)
      else if (end.fate === 'expired') await this.#expired(channel, message, end, again)
    } catch (error) {
      // The channel closed meanwhile: the broker delivers the message again.
      this.#fault(error)
    }
  }

  async #expired(
    channel: Channel,
    message: ConsumeMessage,
    { ageMs }: Extract<Fate<unknown>, { fate: 'expired' }>,
    again: boolean,
  ): Promise<void> {
    const { deadLetter } = this.#o
    if (deadLetter === undefined) {
      channel.nack(message, false, false)
      return
    }
    try {
      await deadLetter(message, ageMs)
    } catch (error) {
      this.#fault(error)
      channel.nack(message, false, again)
      return
    }
    channel.ack(message)
  }

  async #hangUp(): Promise<void> {
    const connection = this.#connection
    this.#connection = null
    this.#subscription?.drop()
    if (connection === null) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, CLOSE_WITHIN_MS)
    connection.close().then(resolve, () => resolve())
    await promise.finally(() => clearTimeout(timer))
  }
}
