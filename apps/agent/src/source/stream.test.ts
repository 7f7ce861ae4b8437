import { settled, type VirtualRuntime, virtualRuntime } from '@weir/testkit'
import { type ControlMessage, type Hello, WIRE } from '@weir/wire/model'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { snapshotOf, TestControlPlane } from '../control-plane.testkit.ts'
import { Stream } from './stream.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

const hello: Hello = {
  type: 'hello',
  instance: 'one',
  boot: 'boot',
  zone: null,
  host: 'host',
  pid: 1,
  agentVersion: '0.1.0',
  modeOverride: null,
  applied: null,
  source: 'built-in',
}

let plane: TestControlPlane
let runtime: VirtualRuntime
let stream: Stream
let received: ControlMessage[]
let states: string[]
let changed: () => void

/** The listener, and whoever waits looks again. */
const noting =
  <A extends unknown[]>(listener: (...args: A) => unknown) =>
  (...args: A): void => {
    listener(...args)
    changed()
  }

beforeEach(async () => {
  plane = await TestControlPlane.start()
  runtime = virtualRuntime()
  received = []
  states = []
  changed = () => undefined
  stream = new Stream({
    origin: `ws://127.0.0.1:${plane.port}`,
    key: 'the-key',
    runtime: { ...runtime, onError: noting((error: unknown, where: string) => runtime.errors.push({ error, where })) },
    hello: () => hello,
    onMessage: noting((message: ControlMessage) => received.push(message)),
    onState: noting((state: string) => states.push(state)),
  })
})
afterEach(async () => {
  await stream.close('test over', 500)
  await plane.stop()
})

const until = (test: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    changed = () => test() && resolve()
    changed()
  })
const up = () => until(() => states.at(-1) === 'up' && received.some((message) => message.type === 'snapshot'))
const said = () => runtime.errors.map(({ error }) => String((error as Error).message))

/** Lets timers that sockets armed on real time come due on virtual time. */
const armed = async (count: number) => {
  while (runtime.time.pending < count) await settled()
}

describe('the stream', () => {
  it('knocks with its key and sub-protocol, says hello and hands on what it is told', async () => {
    stream.start()
    await up()
    expect(plane.upgrades[0]).toMatchObject({ authorization: 'Bearer the-key', 'sec-websocket-protocol': 'weir.v1' })
    expect(plane.messages).toEqual([hello])
    expect(received.map(({ type }) => type)).toEqual(['welcome', 'lease', 'snapshot'])
    expect(stream.isUp).toBe(true)
  })

  it('answers a ping', async () => {
    stream.start()
    await up()
    plane.broadcast({ type: 'ping', n: 7 })
    await plane.until(() => plane.of('pong').length === 1)
    expect(plane.of('pong')).toEqual([{ type: 'pong', n: 7 }])
  })

  it('says bye and leaves no timer and no socket, and is not missed: nobody begins to poll', async () => {
    stream.start()
    await up()
    await stream.close('over', 500)
    await plane.until(() => plane.of('bye').length === 1 && plane.live.length === 0)
    expect(runtime.time.pending).toBe(0)
    runtime.time.advance(3_600_000)
    await settled()
    expect(plane.upgrades).toHaveLength(1)
    expect(states).toEqual(['up'])
    expect(stream.isUp).toBe(false)
  })

  it('comes back after a cut, 1 to 2 s later at first, with one socket', async () => {
    stream.start()
    await up()
    plane.sockets[0]?.terminate()
    await until(() => states.at(-1) === 'down')
    runtime.time.advance(999)
    await settled()
    expect(plane.upgrades).toHaveLength(1)
    received = []
    runtime.time.advance(1_001)
    await up()
    expect(plane.upgrades).toHaveLength(2)
    expect(plane.live).toHaveLength(1)
  })

  it('waits longer with each failure, half of it by chance, and never past 30 s', async () => {
    plane.upgradeStatus = 503
    stream.start()
    const waits: number[] = []
    for (let attempt = 1; attempt <= 9; attempt++) {
      await plane.until(() => plane.upgrades.length === attempt)
      await armed(1)
      const from = runtime.time.now()
      while (runtime.time.pending > 0) runtime.time.advance(10)
      waits.push(runtime.time.now() - from)
    }
    waits.forEach((wait, n) => {
      const whole = Math.min(WIRE.reconnectMaxMs, 2 * WIRE.reconnectMinMs * 2 ** n)
      expect(wait).toBeGreaterThanOrEqual(whole / 2)
      expect(wait).toBeLessThanOrEqual(whole + 10)
    })
    expect(said()).toEqual(['The control plane answered 503 instead of opening a socket.'])
  })

  it('comes back when it is told to, up to twice as late, and no later for having been refused before', async () => {
    plane.upgradeStatus = 503
    plane.retryAfter = 3
    stream.start()
    for (let attempt = 1; attempt <= 5; attempt++) {
      await plane.until(() => plane.upgrades.length === attempt)
      await armed(1)
      runtime.time.advance(2_999)
      await settled()
      expect(plane.upgrades).toHaveLength(attempt)
      runtime.time.advance(3_001)
    }
    await plane.until(() => plane.upgrades.length === 6)
  })

  it.each([401, 403])('takes %i for a wrong key: says so once and waits 30 s and more', async (status) => {
    plane.upgradeStatus = status
    stream.start()
    for (let attempt = 1; attempt <= 3; attempt++) {
      await plane.until(() => plane.upgrades.length === attempt)
      await armed(1)
      runtime.time.advance(29_999)
      await settled()
      expect(plane.upgrades).toHaveLength(attempt)
      while (runtime.time.pending > 0) runtime.time.advance(1_000)
    }
    expect(said()).toEqual([`The control plane does not accept this key (${status}).`])
  })

  it('gives a silent peer up after three missed heartbeats', async () => {
    stream.start()
    await up()
    runtime.time.advance(3 * plane.heartbeatMs - 1)
    expect(stream.isUp).toBe(true)
    plane.broadcast({ type: 'ping', n: 1 })
    await plane.until(() => plane.of('pong').length === 1)
    runtime.time.advance(3 * plane.heartbeatMs - 1)
    expect(stream.isUp).toBe(true)
    runtime.time.advance(1)
    await until(() => states.at(-1) === 'down')
    expect(said()).toEqual(['The control plane fell silent.'])
  })

  it('gives a peer up that opens a socket and never says welcome', async () => {
    plane.welcomes = false
    stream.start()
    await plane.until(() => plane.of('hello').length === 1)
    runtime.time.advance(3 * WIRE.heartbeatMs)
    await until(() => said().length === 1)
    expect(states).toEqual([])
    await armed(1)
  })

  it('reconnects within the span that a drain names, whoever closes', async () => {
    stream.start()
    await up()
    plane.broadcast({ type: 'drain', minMs: 100, maxMs: 200 })
    await armed(2)
    plane.sockets[0]?.close(1001)
    await until(() => states.at(-1) === 'down')
    runtime.time.advance(99)
    await settled()
    expect(plane.upgrades).toHaveLength(1)
    received = []
    runtime.time.advance(101)
    await up()
    expect(plane.upgrades).toHaveLength(2)
  })

  it('closes by itself when a drain ends and nobody closed', async () => {
    stream.start()
    await up()
    plane.broadcast({ type: 'drain', minMs: 100, maxMs: 200 })
    await armed(2)
    runtime.time.advance(200)
    await until(() => states.at(-1) === 'down')
    await armed(1)
    received = []
    runtime.time.advance(1)
    await up()
    expect(plane.live).toHaveLength(1)
  })
})

describe('a hostile control plane', () => {
  it('is cut off when it sends more than a message may hold', async () => {
    stream.start()
    await up()
    plane.sockets[0]?.send('x'.repeat(WIRE.maxControlMessageBytes + 1))
    await until(() => states.at(-1) === 'down')
    expect(said()[0]).toMatch(/Max payload size exceeded/)
  })

  it.each([
    ['no JSON', 'hello'],
    ['bytes', Buffer.from([1, 2, 3])],
  ])('is cut off when it sends %s', async (_name, frame) => {
    stream.start()
    await up()
    plane.sockets[0]?.send(frame)
    await until(() => states.at(-1) === 'down')
    expect(said()[0]).toMatch(/not understood/)
  })

  it('may know messages that this agent does not: they are skipped, ten are too many', async () => {
    stream.start()
    await up()
    const strange = () => plane.sockets[0]?.send('{"type":"from-the-future"}')
    for (let i = 0; i < 9; i++) strange()
    plane.broadcast({ type: 'ping', n: 1 })
    await plane.until(() => plane.of('pong').length === 1)
    expect(stream.isUp).toBe(true)
    strange()
    await until(() => states.at(-1) === 'down')
    expect(said()).toHaveLength(1)
  })

  it('cannot make the host throw: a listener that fails is reported', async () => {
    const failing = new Stream({
      origin: `ws://127.0.0.1:${plane.port}`,
      key: 'the-key',
      runtime: {
        ...runtime,
        onError: noting((error: unknown, where: string) => runtime.errors.push({ error, where })),
      },
      hello: () => hello,
      onMessage: () => {
        throw new Error('listener')
      },
      onState: () => undefined,
    })
    plane.snapshot = snapshotOf(1, {})
    failing.start()
    await until(() => said().length === 3)
    expect(said()).toEqual(['listener', 'listener', 'listener'])
    await failing.close('over', 500)
  })
})
