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
  /** Each second: what a replica's own agents say of the rules of feedback. */
  'feedback-heard': z.object({
    from: z.string(),
    /** Services that it has agents of, and the least share that they apply to a resource. */
    services: z.array(z.object({ serviceId: z.string(), applied: z.record(z.string(), z.number()) })),
    topics: z.array(
      z.object({
        environment: z.string(),
        topic: z.string(),
        lagSeconds: z.number().nullable(),
        consumers: z.number(),
        reportMs: z.number(),
      }),
    ),
  }),
  /** Each second: where the rules of a service stand, by the replica that looks. */
  'feedback-told': z.object({
    from: z.string(),
    serviceId: z.string(),
    scales: z.record(z.string(), z.number()),
    states: z.array(
      z.object({
        topic: z.string(),
        consumers: z.number(),
        scale: z.number(),
        phase: z.enum(['whole', 'cutting', 'holding', 'returning', 'unknown']),
        lagSeconds: z.number().nullable(),
      }),
    ),
  }),
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
