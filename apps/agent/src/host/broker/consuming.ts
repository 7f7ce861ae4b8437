import type { Consumer } from '../../consumer/consumer.ts'
import type { Message } from '../../consumer/message.ts'

/** The part of `Weir` that consumers use. */
export interface ConsumerHost {
  consumer(gate: string, topic: string): Consumer
}

/** What every client of a broker may be told. `M` is a message as the client has it. */
export interface ConsumeOptions<M> {
  /** The gate that the messages pass. Default: the name of the queue or topic. */
  readonly gate?: string
  /** Whom a message is for. Default: nobody. */
  readonly tenant?: ((message: M) => string | undefined) | undefined
  /** How much a message matters. Default: the policy's default class. */
  readonly criticality?: ((message: M) => Message['criticality']) | undefined
  /** Takes a message that was too old when its turn came, with its age in milliseconds. What it throws is the broker's retry. Default: see the adapter. */
  readonly deadLetter?: (message: M, ageMs: number) => unknown
}

/** What a message says of itself; a reader that throws counts as not given, and is reported. */
export const readMessage = <M>(
  consumer: Consumer,
  { tenant, criticality }: Pick<ConsumeOptions<M>, 'tenant' | 'criticality'>,
  message: M,
  madeAtMs: number | undefined,
): Message => {
  const read = <T>(reader: ((message: M) => T) | undefined): T | undefined => {
    try {
      return reader?.(message)
    } catch (error) {
      consumer.fault(error)
      return undefined
    }
  }
  return { madeAtMs, tenant: read(tenant), criticality: read(criticality) }
}
