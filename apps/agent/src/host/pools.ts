import { Waits } from './outbound/waits.ts'

/** Where gauges go: the started agent. */
export interface GaugeHost {
  gauge(pool: string, waitMs: () => number): () => void
}

/** The part of a `pg` pool that is read. */
export interface PgPool {
  // biome-ignore lint/suspicious/noExplicitAny: two overloads, a promise or a callback, of whichever version of pg
  connect(...args: any[]): any
}

/**
 * How long work waits for a connection of this `pg` pool, as gauge `name`: the oldest that waits now, or the longest that got one since the gauge was
 * last read, whichever is more. `pool.query` is seen too, for it connects. Returns the way to end it, which leaves the pool as it was.
 */
export const weirPgPool = (weir: GaugeHost, name: string, pool: PgPool): (() => void) => {
  const waits = new Waits()
  const connect = pool.connect
  const measured: PgPool['connect'] = (...args) => {
    const wait = waits.begin()
    const [callback] = args
    if (typeof callback === 'function')
      return connect.call(pool, (...result: unknown[]) => {
        waits.end(wait)
        callback(...result)
      })
    const connected: Promise<unknown> = connect.call(pool)
    const ended = () => waits.end(wait)
    connected.then(ended, ended)
    return connected
  }
  return measure(weir, name, waits, pool, 'connect', measured)
}

/** The part of an ioredis client that is read. */
export interface RedisClient {
  // biome-ignore lint/suspicious/noExplicitAny: a command object and a stream, of whichever version of ioredis
  sendCommand(...args: any[]): any
}

/** Commands that wait on purpose. */
const BLOCKING = /^(b[lrz][a-z]+|blmove|wait|waitaof|xread|xreadgroup|subscribe|psubscribe|ssubscribe|monitor)$/i

/**
 * How long commands of this ioredis client have been waiting, as gauge `name`: for the connection, or behind others on it, for all commands share it.
 * Commands that block on purpose are left out. Returns the way to end it, which leaves the client as it was.
 */
export const weirIoredis = (weir: GaugeHost, name: string, client: RedisClient): (() => void) => {
  const waits = new Waits()
  const sendCommand = client.sendCommand
  const measured: RedisClient['sendCommand'] = (...args) => {
    const [command] = args as [{ name?: unknown; promise?: PromiseLike<unknown> } | undefined]
    const counts = typeof command?.name === 'string' && !BLOCKING.test(command.name)
    const wait = counts ? waits.begin() : null
    const sent: unknown = sendCommand.apply(client, args)
    if (wait !== null) {
      const ended = () => waits.end(wait)
      if (command?.promise === undefined) ended()
      else command.promise.then(ended, ended)
    }
    return sent
  }
  return measure(weir, name, waits, client, 'sendCommand', measured)
}

/** Puts `measured` in the method's place until the gauge ends. */
const measure = <K extends string>(
  weir: GaugeHost,
  name: string,
  waits: Waits,
  target: { [key in K]: unknown },
  method: K,
  measured: unknown,
): (() => void) => {
  const own = Object.getOwnPropertyDescriptor(target, method)
  Object.defineProperty(target, method, { value: measured, configurable: true, writable: true })
  const end = weir.gauge(name, () => waits.read())
  return () => {
    end()
    if (target[method] !== measured) return
    if (own === undefined) Reflect.deleteProperty(target, method)
    else Object.defineProperty(target, method, own)
  }
}
