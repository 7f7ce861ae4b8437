import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { BUS_TOPICS, Bus, type BusTopic, type BusTopics } from '../../features/bus.ts'
import type { MemoryBus } from '../memory/memory-bus.ts'
import { parsed } from './parsed.ts'
import type { RedisLink } from './redis-link.ts'

const CHANNEL = 'bus'
const envelope = z.object({ from: z.string(), topic: z.string(), payload: z.unknown() })
const isTopic = (topic: string): topic is BusTopic => Object.hasOwn(BUS_TOPICS, topic)

/** The bus of several replicas: one's own hear through memory, Redis or not; what another version says that this one does not know is passed over. */
export class RedisBus extends Bus {
  readonly #link: RedisLink
  readonly #here: MemoryBus
  readonly #self = randomUUID()
  readonly #end: () => void

  constructor(link: RedisLink, here: MemoryBus) {
    super()
    this.#link = link
    this.#here = here
    this.#end = link.listen(CHANNEL, (text) => this.#hear(text))
  }

  override publish<T extends BusTopic>(topic: T, payload: BusTopics[T]): void {
    this.#here.publish(topic, payload)
    this.#link.publish(CHANNEL, JSON.stringify({ from: this.#self, topic, payload }))
  }

  override subscribe<T extends BusTopic>(topic: T, handler: (payload: BusTopics[T]) => void): () => void {
    return this.#here.subscribe(topic, handler)
  }

  close(): void {
    this.#end()
  }

  #hear(text: string): void {
    const read = envelope.safeParse(parsed(text))
    if (!read.success || read.data.from === this.#self || !isTopic(read.data.topic)) return
    const { topic } = read.data
    const payload = BUS_TOPICS[topic].safeParse(read.data.payload)
    if (payload.success) this.#here.publish(topic, payload.data as BusTopics[typeof topic])
  }
}
