import type { BusTopic, BusTopics } from '../bus.ts'

export interface OutboxMessage {
  readonly id: bigint
  readonly topic: BusTopic
  readonly payload: BusTopics[BusTopic]
}

/** Messages written in the transaction of what they tell. */
export abstract class OutboxStore {
  /** The oldest unsent ones. */
  abstract unsent(limit: number): Promise<readonly OutboxMessage[]>
  abstract markSent(ids: readonly bigint[]): Promise<void>
  abstract dropSentBefore(time: Date): Promise<void>
}
