/** Many agents that ask for leases, in one process: real sockets, questions and leases, and nothing of an agent beside. What all may use is added up after every answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type LeaseName, RATE_GRAINS } from '@weir/policy/model'
import { AGENT_PATHS, type AgentMessage, type ControlMessage, encode, SUBPROTOCOL, WIRE } from '@weir/wire'
import WebSocket from 'ws'
import { RateDemand } from '../../apps/agent/src/leases/demand.ts'
import { LeaseDesk } from '../../apps/agent/src/leases/desk.ts'
import { Lease } from '../../apps/agent/src/leases/held.ts'
import { helloOf } from './hello.ts'
import type { LeasesAsk, LeasesSeen } from './message.ts'

/** As many handshakes at once. */
const OPENING = 16
/** Whoever is told to come back does so, after so long. */
const AGAIN_MS = 500
const LOOK_MS = 50
/** A ping is shorter. */
const HEAD = 100
/** Of all agents, those that want the second quota. */
const FEW = 0.01
const nowMs = (): number => performance.now()
const say = (answer: { type: 'opened' } | LeasesSeen) => process.send?.(answer)

/** What all agents may use of one quota, and the most that was. */
class Sum {
  usable = 0
  most = 0
  add(by: number): void {
    this.usable += by
    if (this.usable > this.most) this.most = this.usable
  }
}

interface Part {
  readonly sum: Sum
  readonly demand: RateDemand
  readonly lease: Lease
  /** As it is in the sum. */
  usable: number
}

const sums = new Map<string, Sum>()
const roundTripsMs: number[] = []
let asked = 0

class Asker {
  readonly #socket: WebSocket
  readonly #desk = new LeaseDesk(WIRE.leaseRefreshMs, Math.random)
  readonly #parts: Part[]
  readonly #load: number
  #askedMs = 0
  #seenMs = nowMs()

  constructor(socket: WebSocket, names: readonly LeaseName[], load: number) {
    this.#socket = socket
    this.#load = load
    this.#parts = names.map((name) => {
      const sum = sums.get(name.tenant) ?? new Sum()
      sums.set(name.tenant, sum)
      const part = { sum, demand: new RateDemand(WIRE.leaseRefreshMs, nowMs()), lease: new Lease(), usable: 0 }
      this.#desk.add({ name, demand: part.demand, lease: part.lease })
      return part
    })
    socket.on('message', (data) => this.#hear(String(data)))
  }

  look(): void {
    const atMs = nowMs()
    for (const { demand } of this.#parts) demand.started((this.#load * (atMs - this.#seenMs)) / 1_000)
    this.#seenMs = atMs
    this.#count(atMs)
    if (!this.#desk.isDue(atMs)) return
    this.#askedMs = atMs
    asked++
    this.#tell({ type: 'ask', ...this.#desk.ask(atMs) })
  }

  #hear(text: string): void {
    if (!text.startsWith('{"type":"grants"')) return
    const { n, granted } = JSON.parse(text) as Extract<ControlMessage, { type: 'grants' }>
    const atMs = nowMs()
    roundTripsMs.push(atMs - this.#askedMs)
    const obeyed = this.#desk.take(n, granted, atMs)
    this.#count(atMs)
    if (obeyed.length > 0) this.#tell({ type: 'obeyed', obeyed })
  }

  #count(atMs: number): void {
    for (const part of this.#parts) {
      const usable = part.lease.usable(atMs)
      part.sum.add(usable - part.usable)
      part.usable = usable
    }
  }

  #tell(message: AgentMessage): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(encode(message))
  }
}

const open = async (url: string, key: string, n: number): Promise<WebSocket> => {
  const socket = new WebSocket(url.replace('http', 'ws') + AGENT_PATHS.socket, SUBPROTOCOL, {
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
  })
  const opened = await new Promise((resolve) => {
    socket.once('open', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
  if (!opened) {
    await sleep(AGAIN_MS)
    return open(url, key, n)
  }
  socket.once('close', (code, reason) => {
    console.error(`socket ${n} was closed: ${code} ${reason}`)
    process.exit(1)
  })
  socket.on('message', (data) => {
    const text = String((data as Buffer).subarray(0, HEAD))
    if (text.startsWith('{"type":"ping"')) socket.send(encode({ type: 'pong', n: JSON.parse(text).n }))
  })
  socket.send(encode(helloOf(n, null)))
  return socket
}

const sockets: WebSocket[] = []
const askers: Asker[] = []

const openAll = async ({ url, keys, count }: Extract<LeasesAsk, { type: 'open' }>): Promise<void> => {
  let next = 0
  const opener = async () => {
    while (next < count) {
      const n = next++
      sockets[n] = await open(url, keys[n % keys.length] ?? '', n)
      await sleep(0)
    }
  }
  await Promise.all(Array.from({ length: OPENING }, opener))
  say({ type: 'opened' })
}

/** Whoever has waited longest is looked at first, all once in `LOOK_MS`. */
const play = async ({ resource, tenants, load }: Extract<LeasesAsk, { type: 'ask' }>): Promise<void> => {
  const [all = '', few = ''] = tenants
  const nameOf = (tenant: string): LeaseName => ({ resource, tenant, kind: 'rate' })
  for (const [n, socket] of sockets.entries())
    askers.push(new Asker(socket, [nameOf(all), ...(n % (1 / FEW) === 0 ? [nameOf(few)] : [])], load))
  while (true) {
    for (const asker of askers) asker.look()
    await sleep(LOOK_MS)
  }
}

const tell = (): void => {
  const of = ({ usable, most }: Sum) => ({ usable: usable / RATE_GRAINS, most: most / RATE_GRAINS })
  say({
    type: 'seen',
    asked,
    roundTripsMs: roundTripsMs.splice(0).sort((a, b) => a - b),
    sums: Object.fromEntries(Array.from(sums, ([tenant, sum]) => [tenant, of(sum)])),
  })
  asked = 0
}

process.on('message', async (ask: LeasesAsk) => {
  if (ask.type === 'open') await openAll(ask)
  else if (ask.type === 'ask') void play(ask)
  else tell()
})
process.on('disconnect', () => process.exit())
