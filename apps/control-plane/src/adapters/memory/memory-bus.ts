import { EventEmitter } from 'node:events'
import { Bus, type BusTopic, type BusTopics } from '../../features/bus.ts'

/** The bus of a single replica. Handlers run after the caller, one handler's error stops no other. */
export class MemoryBus extends Bus {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  override publish<T extends BusTopic>(topic: T, payload: BusTopics[T]): void {
    for (const handler of this.#emitter.listeners(topic)) queueMicrotask(() => handler(payload))
  }

  override subscribe<T extends BusTopic>(topic: T, handler: (payload: BusTopics[T]) => void): () => void {
    this.#emitter.on(topic, handler)
    return () => this.#emitter.off(topic, handler)
  }
}
