import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { Bus } from '../bus.ts'
import { OutboxStore } from './outbox.ts'

/** What a crash left behind is sent this long after the next start, at the latest. */
const POLL_MS = 1_000
const BATCH = 100
/** Sent messages are kept a day, for people who look. */
const KEPT_MS = 86_400_000
const TIDY_EVERY = 600

/** Sends the outbox over the bus, each message at least once and in order. */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger('outbox')
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> | null = null
  #again = false
  #rounds = 0
  #failing = false

  constructor(
    private readonly store: OutboxStore,
    private readonly bus: Bus,
  ) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => void this.send(), POLL_MS)
    this.#timer.unref()
  }

  async onModuleDestroy(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#sending
  }

  /** Sends what there is; called after each commit, so that the poll only finds what a crash left. */
  send(): Promise<void> {
    if (this.#sending !== null) {
      this.#again = true
      return this.#sending
    }
    const sending = this.#run().finally(() => {
      this.#sending = null
    })
    this.#sending = sending
    return sending
  }

  async #run(): Promise<void> {
    try {
      do {
        this.#again = false
        const sent = await this.store.deliver(BATCH, ({ topic, payload }) => this.bus.publish(topic, payload))
        if (sent === BATCH) this.#again = true
      } while (this.#again)
      if (this.#rounds++ % TIDY_EVERY === 0) await this.store.dropSentBefore(new Date(Date.now() - KEPT_MS))
      this.#failing = false
    } catch (error) {
      if (!this.#failing)
        this.#logger.warn(`The outbox cannot be sent: ${error instanceof Error ? error.message : String(error)}`)
      this.#failing = true
    }
  }
}
