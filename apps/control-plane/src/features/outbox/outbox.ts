import type { BusTopic, BusTopics } from '../bus.ts'

export interface OutboxMessage {
  readonly id: bigint
  readonly topic: BusTopic
  readonly payload: BusTopics[BusTopic]
}

/** Messages written in the transaction of what they tell. */
export abstract class OutboxStore {
  /**
   * Hands over the oldest unsent ones, each once however many replicas do so at the same time, and notes them as sent. Where that fails they are handed
   * over again the next time. Returns how many there were.
   */
  abstract deliver(limit: number, send: (message: OutboxMessage) => void): Promise<number>
  abstract dropSentBefore(time: Date): Promise<void>
}
