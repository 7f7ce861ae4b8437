import type { Channel, ConsumeMessage, Options } from 'amqplib'

interface SubscriptionEvents {
  message(message: ConsumeMessage): void
  /** The broker took the consumer away: its queue was deleted, or moved. */
  ended(): void
  fault(error: unknown): void
}

/** A consumer's prefetch is fixed when it begins: it begins anew where the wanted one is off by more than this share. */
const OFF_BY = 0.2

/** One consumer on one channel, begun and cancelled as wanted, one step at a time. What was delivered before stays with the channel. */
export class Subscription {
  readonly #channel: Channel
  readonly #queue: string
  readonly #options: Options.Consume
  readonly #events: SubscriptionEvents
  #wanted: number | null = null
  #prefetch: number | null = null
  #tag: string | null = null
  #dropped = false
  #running: Promise<void> | null = null

  constructor(channel: Channel, queue: string, options: Options.Consume, events: SubscriptionEvents) {
    this.#channel = channel
    this.#queue = queue
    this.#options = options
    this.#events = events
  }

  get active(): boolean {
    return this.#tag !== null && !this.#dropped
  }

  /** Resolves when what is wanted is so. */
  get settled(): Promise<void> {
    return this.#running ?? Promise.resolve()
  }

  /** At most so many unacknowledged messages; `null`: none are delivered. */
  want(prefetch: number | null): void {
    this.#wanted = prefetch
    this.#running ??= this.#settle().finally(() => {
      this.#running = null
    })
  }

  /** The channel is gone. */
  drop(): void {
    this.#dropped = true
  }

  async #settle(): Promise<void> {
    try {
      while (!this.#dropped && this.#isOff()) {
        if (this.#tag !== null) {
          const tag = this.#tag
          this.#tag = null
          this.#prefetch = null
          await this.#channel.cancel(tag)
        } else if (this.#wanted !== null) await this.#begin(this.#wanted)
      }
    } catch (error) {
      if (this.#dropped) return
      this.#events.fault(error)
      this.#events.ended()
    }
  }

  #isOff(): boolean {
    if (this.#wanted === null || this.#prefetch === null) return this.#wanted !== this.#prefetch
    return Math.abs(this.#wanted - this.#prefetch) > OFF_BY * this.#prefetch
  }

  async #begin(prefetch: number): Promise<void> {
    await this.#channel.prefetch(prefetch)
    const { consumerTag } = await this.#channel.consume(
      this.#queue,
      (message) => {
        if (this.#dropped) return
        if (message === null) this.#events.ended()
        else this.#events.message(message)
      },
      { ...this.#options, noAck: false },
    )
    this.#tag = consumerTag
    this.#prefetch = prefetch
  }
}
