/** What travels between replicas. Every topic is a hint: the database has the truth, and losing one costs a poll. */
export interface BusTopics {
  revision: { readonly serviceId: string; readonly revision: number }
  published: {
    readonly environment: string
    readonly service: string
    readonly revision: number
    readonly policyVersion: number
    readonly author: string
    readonly reason: string
    readonly at: string
  }
  'key-revoked': { readonly keyId: string }
}
export type BusTopic = keyof BusTopics

/** Delivery is at most once, to every subscriber of every replica, the sender's own included. */
export abstract class Bus {
  abstract publish<T extends BusTopic>(topic: T, payload: BusTopics[T]): void
  /** Returns the function that ends the subscription. */
  abstract subscribe<T extends BusTopic>(topic: T, handler: (payload: BusTopics[T]) => void): () => void
}
