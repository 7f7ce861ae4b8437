import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LiveHub, retryDelay } from './hub.ts'

/** A socket without a network: what is sent is kept, what is received is said. */
class LoopSocket extends EventTarget {
  readyState = 1
  readonly sent: unknown[] = []
  send(text: string): void {
    this.sent.push(JSON.parse(text))
  }
  close(): void {
    this.readyState = 3
  }
  say(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  }
  fall(): void {
    this.readyState = 3
    this.dispatchEvent(new Event('close'))
  }
}

const started = () => {
  const sockets: LoopSocket[] = []
  const hub = new LiveHub(() => {
    const socket = new LoopSocket()
    sockets.push(socket)
    return socket as unknown as WebSocket
  })
  hub.watch({ environment: 'prod', service: null })
  hub.start()
  sockets[0]?.dispatchEvent(new Event('open'))
  return { hub, sockets }
}

describe('the live socket', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('asks for what is watched when it opens, and again when that changes', () => {
    const { hub, sockets } = started()
    hub.watch({ environment: 'prod', service: 'orders' })
    hub.watch({ environment: 'prod', service: 'orders' })
    expect(sockets[0]?.sent).toEqual([
      { type: 'watch', environment: 'prod', service: null },
      { type: 'watch', environment: 'prod', service: 'orders' },
    ])
    hub.stop()
  })

  it('answers a ping and follows the clock of the control plane', () => {
    const { hub, sockets } = started()
    sockets[0]?.say({ type: 'hello', at: new Date(1_060_000).toISOString(), databaseId: 'x' })
    sockets[0]?.say({ type: 'ping' })
    expect(sockets[0]?.sent.at(-1)).toEqual({ type: 'pong' })
    expect(hub.serverSecond).toBe(1_060)
    hub.stop()
  })

  it('says that it is down when it falls, connects anew and asks again', () => {
    const { hub, sockets } = started()
    sockets[0]?.say({ type: 'ping' })
    expect(hub.status).toBe('live')
    sockets[0]?.fall()
    expect(hub.status).toBe('down')
    vi.advanceTimersByTime(500)
    sockets[1]?.dispatchEvent(new Event('open'))
    expect(sockets[1]?.sent).toHaveLength(1)
    hub.stop()
  })

  it('holds a silent socket for dead', () => {
    const { hub, sockets } = started()
    sockets[0]?.say({ type: 'ping' })
    vi.advanceTimersByTime(13_000)
    expect(hub.status).toBe('down')
    hub.stop()
  })

  it('leaves no timer behind', () => {
    const { hub, sockets } = started()
    sockets[0]?.fall()
    hub.stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('waits longer after each failure, with at least half of it at random, up to a bound', () => {
    expect([retryDelay(0, 0), retryDelay(0, 1), retryDelay(20, 1)]).toEqual([250, 500, 15_000])
  })
})
