import type { Alert, LiveRow } from '@weir/api'
import { describe, expect, it } from 'vitest'
import { LIVE_BOUNDS } from './live-bounds.ts'
import { LiveHub, type LiveVisitor } from './live-hub.ts'
import { RecordingSocket } from './recording-socket.testkit.ts'

class Clock {
  ms = 1_000
  monotonicMs = () => this.ms
  wallMs = () => 1_800_000_000_000 + this.ms
}

const visitor = (identity = 'ada', stillAllowed = async () => true): LiveVisitor => ({ identity, stillAllowed })
const row = (service: string, by?: LiveRow['by']): LiveRow => ({
  kind: 'gate',
  service,
  name: 'checkout',
  edge: true,
  figures: { offered: 3 },
  ...(by === undefined ? {} : { by }),
})
const ALERT: Alert = {
  id: 'a1',
  service: 'orders',
  rule: 'sustained-shedding',
  subject: 'checkout',
  severity: 'ticket',
  state: 'firing',
  summary: '40 % are refused.',
  figures: {},
  value: 0.4,
  worst: 0.4,
  silenced: false,
  threshold: 0.1,
  forSeconds: 60,
  raisedAt: '2027-01-15T08:00:00.000Z',
  resolvedAt: null,
}
const setUp = (bounds?: ConstructorParameters<typeof LiveHub>[2]) => {
  const clock = new Clock()
  const hub = new LiveHub(() => 'db-1', clock, bounds)
  const join = (watch?: { environment: string; service: string | null }, who: LiveVisitor = visitor()) => {
    const socket = new RecordingSocket()
    const connection = hub.connect(socket, who)
    if (watch !== undefined) connection.message(JSON.stringify({ type: 'watch', ...watch }))
    return { socket, connection }
  }
  return { clock, hub, join }
}

describe('the live hub', () => {
  it('greets with the database id and sends nothing before somebody says what they watch', () => {
    const { hub, join } = setUp()
    const { socket } = join()
    hub.tick('prod', new Date(0), [row('orders')])
    expect(socket.messages()).toEqual([expect.objectContaining({ type: 'hello', databaseId: 'db-1' })])
  })

  it('gives the overview every service without details, and one service its own rows with details', () => {
    const { hub, join } = setUp()
    const all = join({ environment: 'prod', service: null })
    const one = join({ environment: 'prod', service: 'orders' })
    const other = join({ environment: 'staging', service: null })
    const by = { reason: { 'queue-full': { shed: 1 } }, class: {}, tenant: {} }
    hub.tick('prod', new Date(0), [row('orders', by), row('payments', by)])
    expect(all.socket.last()).toEqual({
      type: 'tick',
      at: '1970-01-01T00:00:00.000Z',
      rows: [row('orders'), row('payments')],
    })
    expect(one.socket.last()).toEqual({ type: 'tick', at: '1970-01-01T00:00:00.000Z', rows: [row('orders', by)] })
    expect(other.socket.messages()).toHaveLength(1)
  })

  it('encodes a tick once for everybody who watches the same', () => {
    const { hub, join } = setUp()
    const sockets = [1, 2, 3].map((n) => join({ environment: 'prod', service: 'orders' }, visitor(`op-${n}`)).socket)
    let encodings = 0
    const figures = {
      toJSON: () => {
        encodings += 1
        return { offered: 3 }
      },
    } as unknown as LiveRow['figures']
    hub.tick('prod', new Date(0), [{ ...row('orders'), figures }])
    expect(encodings).toBe(1)
    for (const socket of sockets) expect(socket.last()).toMatchObject({ type: 'tick' })
  })

  it('a new watch replaces the former', () => {
    const { hub, join } = setUp()
    const { socket, connection } = join({ environment: 'prod', service: 'orders' })
    connection.message(JSON.stringify({ type: 'watch', environment: 'prod', service: 'payments' }))
    expect(hub.watched('prod', 'orders')).toBe(false)
    hub.agents('prod', 'orders', [])
    hub.agents('prod', 'payments', [])
    expect(socket.messages().filter((message) => message.type === 'agents')).toEqual([
      { type: 'agents', service: 'payments', agents: [] },
    ])
  })

  it('skips ticks for a slow dashboard but still tells it of an alert', () => {
    const { hub, join } = setUp()
    const slow = join({ environment: 'prod', service: null })
    const quick = join({ environment: 'prod', service: null })
    slow.socket.bufferedBytes = LIVE_BOUNDS.slowBytes + 1
    hub.tick('prod', new Date(0), [row('orders')])
    hub.alert('prod', ALERT)
    expect(slow.socket.types()).toEqual(['hello', 'alert'])
    expect(quick.socket.types()).toEqual(['hello', 'tick', 'alert'])
  })

  it('drops a dashboard that takes nothing any more instead of buffering for it', () => {
    const { hub, join } = setUp()
    const { socket } = join({ environment: 'prod', service: null })
    socket.bufferedBytes = LIVE_BOUNDS.tooSlowBytes + 1
    hub.alert('prod', ALERT)
    expect(socket.terminated).toBe(true)
    expect(hub.size).toBe(0)
  })

  it('closes within 5 s of a sign-out', async () => {
    let signedIn = true
    const { clock, hub, join } = setUp()
    const { socket } = join(
      undefined,
      visitor('ada', async () => signedIn),
    )
    clock.ms += 2_500
    hub.beat()
    await Promise.resolve()
    expect(socket.closedWith).toBeNull()
    signedIn = false
    for (let s = 0; s < 3; s++) {
      clock.ms += 1_000
      hub.beat()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(socket.closedWith?.code).toBe(4401)
  })

  it('a check that cannot answer leaves the dashboard open', async () => {
    const { clock, hub, join } = setUp()
    const { socket } = join(
      undefined,
      visitor('ada', async () => Promise.reject(new Error('database away'))),
    )
    clock.ms += 2_500
    hub.beat()
    await new Promise((resolve) => setImmediate(resolve))
    expect(socket.closedWith).toBeNull()
  })

  it('pings, and drops who has missed three', () => {
    const { clock, hub, join } = setUp()
    const dead = join()
    const alive = join()
    for (let s = 0; s < 16; s++) {
      clock.ms += 1_000
      hub.beat()
      alive.connection.message('{"type":"pong"}')
    }
    expect(dead.socket.types()).toEqual(['hello', 'ping', 'ping', 'ping'])
    expect(dead.socket.terminated).toBe(true)
    expect(alive.socket.terminated).toBe(false)
    expect(hub.size).toBe(1)
  })

  it.each([
    ['not JSON', 'nonsense'],
    ['an unknown type', '{"type":"subscribe"}'],
    ['an unknown member', '{"type":"watch","environment":"prod","service":null,"all":true}'],
    ['one longer than the bound', JSON.stringify({ type: 'watch', environment: 'x'.repeat(20_000), service: null })],
  ])('a message that is %s closes only its own socket', (_, text) => {
    const { hub, join } = setUp()
    const bad = join()
    const good = join({ environment: 'prod', service: null })
    bad.connection.message(text)
    expect(bad.socket.closedWith?.code).toBe(4400)
    hub.tick('prod', new Date(0), [])
    expect(good.socket.last()).toMatchObject({ type: 'tick' })
  })

  it('a flood closes its socket with 4429', () => {
    const { join } = setUp()
    const { socket, connection } = join()
    for (let n = 0; n < 51; n++) connection.message('{"type":"pong"}')
    expect(socket.closedWith?.code).toBe(4429)
  })

  it('bounds sockets in all and by operator, and a closed one makes room', () => {
    const { join } = setUp({ sockets: 3, socketsPerIdentity: 2 })
    const first = join(undefined, visitor('ada'))
    join(undefined, visitor('ada'))
    expect(join(undefined, visitor('ada')).socket.closedWith?.code).toBe(4429)
    join(undefined, visitor('bob'))
    expect(join(undefined, visitor('eve')).socket.closedWith?.code).toBe(4429)
    first.connection.closed()
    expect(join(undefined, visitor('eve')).socket.closedWith).toBeNull()
  })

  it('drains with 1001 and takes nobody afterwards', () => {
    const { hub, join } = setUp()
    const { socket } = join()
    hub.drain()
    expect(socket.closedWith?.code).toBe(1001)
    expect(join().socket.closedWith?.code).toBe(1001)
  })
})
