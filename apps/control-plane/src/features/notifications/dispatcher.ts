import { type Courier, type Target, Undelivered } from './courier.ts'
import { parcelOf, RESEND_SECONDS } from './formats.ts'
import type { Message, MessageWriter } from './messages.ts'
import type { AlertOutbox, Due } from './outbox.ts'

const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 300_000
/** Of a retry, either way. */
const JITTER = 0.25

export interface DispatcherParts {
  readonly outbox: AlertOutbox
  readonly courier: Courier
  readonly writer: MessageWriter
  readonly clock: () => number
  /** 0 to 1. */
  readonly random: () => number
  readonly failed: (error: unknown) => void
}

/** 1 s, 2 s, 4 s … 5 min, each by chance up to a quarter more or less; what the receiver asks for, at most 5 min. */
export const retryMs = (attempts: number, retryAfterMs: number | null, random: number): number => {
  const backOff = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts, 20))
  const jittered = backOff * (1 - JITTER + 2 * JITTER * random)
  return Math.round(Math.min(LONGEST_RETRY_MS * (1 + JITTER), Math.max(jittered, retryAfterMs ?? 0)))
}

/** Tells receivers what the outbox has, each by itself: a slow or dead one holds up nobody. Runs in the replica that judges. */
export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #running = new Map<string, Promise<void>>()
  /** When the receivers that are told again and again were told last. */
  readonly #resent = new Map<string, number>()

  constructor(parts: DispatcherParts) {
    this.#parts = parts
  }

  /** Called once a second while this replica judges. `judges`: alerts were judged just now, so the watchdog may say so. */
  async tick(judges: boolean): Promise<void> {
    for (const due of await this.#parts.outbox.due((id) => this.#isAgain(id))) {
      const { id } = due.target
      if (this.#running.has(id)) continue
      const run = this.#tell(due, judges)
        .catch(this.#parts.failed)
        .finally(() => this.#running.delete(id))
      this.#running.set(id, run)
    }
  }

  /** Another replica judges: what was said when is no longer known here. */
  rest(): void {
    this.#resent.clear()
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running.values())
  }

  #isAgain(id: string): boolean {
    return this.#parts.clock() - (this.#resent.get(id) ?? Number.NEGATIVE_INFINITY) >= RESEND_SECONDS * 1_000
  }

  async #tell(due: Due, judges: boolean): Promise<void> {
    const { outbox, writer } = this.#parts
    const { target, environment } = due
    try {
      for (const message of writer.alerts(environment, due.alerts)) {
        await this.#send(target, message)
        await outbox.told(target.id, message.alerts)
      }
      if (this.#isAgain(target.id)) await this.#again(due, judges)
    } catch (error) {
      if (!(error instanceof Undelivered)) throw error
      await outbox.failed(target.id, error.message, retryMs(due.attempts, error.retryAfterMs, this.#parts.random()))
    }
  }

  async #again({ target, environment, watchdog, standing }: Due, judges: boolean): Promise<void> {
    const { writer, clock, outbox } = this.#parts
    const messages: Message[] = target.kind === 'alertmanager' ? writer.alerts(environment, standing) : []
    if (watchdog && judges) messages.push(writer.watchdog(environment, clock()))
    for (const message of messages) await this.#send(target, message)
    this.#resent.set(target.id, clock())
    if (messages.length > 0) await outbox.told(target.id, [])
  }

  #send(target: Target, message: Message): Promise<void> {
    return this.#parts.courier.send(target, parcelOf(target, message, this.#parts.clock()))
  }
}
