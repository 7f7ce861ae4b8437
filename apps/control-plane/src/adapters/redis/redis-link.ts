import { Cluster } from 'ioredis'
import type { RedisTarget } from '../../config/redis-url.ts'
import { connect, type RedisClient } from './connect.ts'

/** Messages that were handed over and not taken yet; more are dropped, as if lost. */
const MOST_PENDING = 10_000
const PUBLISH = `return redis.call('PUBLISH', KEYS[1], ARGV[1])`
/** A dead connection is noticed by what it owes, so each is asked something now and then. */
const PING_MS = 2_000

/** One connection that asks and one that listens. A message that cannot be sent or heard is lost; nothing here throws or waits. */
export class RedisLink {
  readonly #commands: RedisClient
  readonly #listener: RedisClient
  readonly #prefix: string
  readonly #handlers = new Map<string, Set<(text: string) => void>>()
  readonly #timer: NodeJS.Timeout
  #pending = 0
  #inTrouble = false

  /** `installation` keeps the names of two databases' replicas apart on one Redis. `onTrouble` is told once for each outage. */
  constructor(target: RedisTarget, installation: string, onTrouble: (error: unknown) => void) {
    this.#prefix = `weir:{${installation}}:`
    const trouble = (error: unknown) => {
      if (!this.#inTrouble) onTrouble(error)
      this.#inTrouble = true
    }
    this.#commands = connect(target, trouble)
    this.#listener = connect(target, trouble)
    this.#commands.on('ready', () => {
      this.#inTrouble = false
    })
    this.#listener.on('ready', () => this.#subscribe([...this.#handlers.keys()]))
    this.#listener.on('message', (channel: string, text: string) => this.#hear(channel, text))
    this.#timer = setInterval(() => {
      for (const client of [this.#commands, this.#listener]) client.ping().catch(() => {})
    }, PING_MS)
    this.#timer.unref()
  }

  /** For commands that want an answer: each fails at once where there is no connection, and after a second. */
  get commands(): RedisClient {
    return this.#commands
  }

  /** A key or channel of this installation; all are in one slot of a cluster. */
  named(name: string): string {
    return `${this.#prefix}${name}`
  }

  publish(channel: string, text: string): void {
    if (this.#pending >= MOST_PENDING || this.#commands.status !== 'ready') return
    this.#pending++
    this.#send(this.named(channel), text)
      .catch(() => {})
      .finally(() => {
        this.#pending--
      })
  }

  /** Returns the function that ends it. Nothing is heard while there is no connection. */
  listen(channel: string, handler: (text: string) => void): () => void {
    const name = this.named(channel)
    const handlers = this.#handlers.get(name) ?? new Set()
    this.#handlers.set(name, handlers.add(handler))
    if (handlers.size === 1 && this.#listener.status === 'ready') this.#subscribe([name])
    return () => {
      handlers.delete(handler)
      if (handlers.size > 0 || this.#handlers.get(name) !== handlers) return
      this.#handlers.delete(name)
      if (this.#listener.status === 'ready') this.#listener.unsubscribe(name).catch(() => {})
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#handlers.clear()
    this.#listener.disconnect()
    this.#commands.disconnect()
  }

  /** A cluster takes a message at any node, so that a later one may come first: all of one installation go to the node of its slot. */
  #send(name: string, text: string): Promise<unknown> {
    if (this.#commands instanceof Cluster) return this.#commands.eval(PUBLISH, 1, name, text)
    return this.#commands.publish(name, text)
  }

  #subscribe(names: readonly string[]): void {
    if (names.length > 0) this.#listener.subscribe(...names).catch(() => {})
  }

  #hear(channel: string, text: string): void {
    for (const handler of this.#handlers.get(channel) ?? []) handler(text)
  }
}
