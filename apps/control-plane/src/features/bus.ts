import { alertSchema } from '@weir/api'
import { z } from 'zod'

/** What travels between replicas. Every topic is a hint: the database has the truth, and losing one costs a poll. */
export const BUS_TOPICS = {
  revision: z.object({ serviceId: z.string(), revision: z.number() }),
  published: z.object({
    environment: z.string(),
    service: z.string(),
    revision: z.number(),
    policyVersion: z.number(),
    author: z.string(),
    reason: z.string(),
    at: z.string(),
  }),
  alert: z.object({ environment: z.string(), alert: alertSchema }),
  'key-revoked': z.object({ keyId: z.string() }),
} as const

export type BusTopic = keyof typeof BUS_TOPICS
export type BusTopics = { readonly [T in BusTopic]: Readonly<z.infer<(typeof BUS_TOPICS)[T]>> }

/** Delivery is at most once, to every subscriber of every replica, the sender's own included; to those whatever becomes of the others. */
export abstract class Bus {
  abstract publish<T extends BusTopic>(topic: T, payload: BusTopics[T]): void
  /** Returns the function that ends the subscription. */
  abstract subscribe<T extends BusTopic>(topic: T, handler: (payload: BusTopics[T]) => void): () => void
}
