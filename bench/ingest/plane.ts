import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { CreatedKey, Outcomes } from '@weir/api'
import WebSocket from 'ws'
import { ControlPlane, freePort } from '../../examples/fleet/src/demo/control-plane.ts'
import { Rest } from '../../examples/fleet/src/demo/rest.ts'
import { ENVIRONMENT, SERVICE } from './corpus.ts'

const TICKS_PER_SECOND = 100
const zip = promisify(gzip)

export interface Sent {
  readonly status: number
  readonly ms: number
  readonly retryAfter: number
}

/** A control plane as a process of its own, with what a bench needs of it. */
export class Plane {
  readonly #plane: ControlPlane
  #rest: Rest | null = null

  private constructor(plane: ControlPlane) {
    this.#plane = plane
  }

  static async start(folder: string): Promise<Plane> {
    const env = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }
    const plane = new Plane(new ControlPlane(await freePort(), folder, process.env.DATABASE_URL, { env }))
    await plane.#plane.start()
    const token = await plane.#plane.weir('token', 'create', '--role', 'admin', '--name', 'bench')
    plane.#rest = new Rest(plane.#plane.origin, token)
    await plane.rest.call('POST', '/environments', { body: { name: ENVIRONMENT } })
    return plane
  }

  get rest(): Rest {
    if (this.#rest === null) throw new Error('The control plane has not started.')
    return this.#rest
  }

  /** A service of its own with a key. */
  async key(service: string): Promise<string> {
    await this.rest.call('POST', `/environments/${ENVIRONMENT}/services`, { body: { name: service } })
    const body = { name: service, services: [service] }
    return (await this.rest.call<CreatedKey>('POST', `/environments/${ENVIRONMENT}/keys`, { body })).body.secret
  }

  /** Work offered at the gates of a service in the last hour. */
  async offered(service: string): Promise<number> {
    const from = new Date(Date.now() - 3_540_000)
    const query = new URLSearchParams({
      service,
      from: from.toISOString(),
      to: new Date(Date.now() + 5_000).toISOString(),
    })
    const { body } = await this.rest.call<Outcomes>('GET', `/environments/${ENVIRONMENT}/outcomes?${query}`)
    return body.totals.offered ?? 0
  }

  /** Status 0: no answer. */
  async send(key: string, text: string): Promise<Sent> {
    const body = new Uint8Array(await zip(text))
    const from = performance.now()
    const answer = await fetch(`${this.#plane.origin}/v1/metrics`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    }).catch(() => null)
    await answer?.arrayBuffer()
    const retryAfter = Number(answer?.headers.get('retry-after') ?? 0)
    return { status: answer?.status ?? 0, ms: performance.now() - from, retryAfter }
  }

  async residentMb(): Promise<number> {
    const status = await readFile(`/proc/${this.#plane.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
  }

  /** What its objects and buffers take after a collection. */
  async heapMb(): Promise<number> {
    const url = /ws:\/\/\S+/.exec(this.#plane.output.join('\n'))?.[0] ?? ''
    const socket = new WebSocket(url)
    const ask = (method: string) => socket.send(JSON.stringify({ id: 1, method }))
    return new Promise((resolve, reject) => {
      socket.on('error', reject)
      socket.on('open', () => ask('HeapProfiler.collectGarbage'))
      socket.on('message', (data) => {
        const { result } = JSON.parse(String(data))
        if (result.usedSize === undefined) return ask('Runtime.getHeapUsage')
        socket.close()
        resolve((result.usedSize + result.backingStorageSize) / 1_048_576)
      })
    })
  }

  /** Processor time of the process so far. */
  async cpuSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.#plane.pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  }

  stop(): Promise<void> {
    return this.#plane.stop()
  }
}

/** One export that is sent over and over, with the times and the number of each window put in. */
export class Template {
  readonly #parts: readonly string[]
  readonly points: number
  readonly offered: number
  readonly #boot: string
  #sequence = 0

  constructor(text: string, points: number, offered: number, service: string, instance: string) {
    this.points = points
    this.offered = offered
    this.#boot = `boot of ${instance}`
    const named = text
      .replaceAll(`"stringValue":"${SERVICE}"`, `"stringValue":"${service}"`)
      .replace(/("service\.instance\.id","value":\{"stringValue":)"[^"]*"/, `$1"${instance}"`)
      .replace(/("weir\.boot","value":\{"stringValue":)"[^"]*"/, `$1"${this.#boot}"`)
      .replace(/("weir\.sequence","value":\{"intValue":)"[^"]*"/, '$1"\u0001S"')
      .replaceAll(/"startTimeUnixNano":"\d+"/g, '"startTimeUnixNano":"\u0001A"')
      .replaceAll(/"timeUnixNano":"\d+"/g, '"timeUnixNano":"\u0001B"')
    this.#parts = named.split('\u0001')
  }

  /** The window that ends now. */
  next(nowMs: number): string {
    const values: Record<string, string> = {
      S: String(++this.#sequence),
      A: `${Math.floor(nowMs) - 1_000}000000`,
      B: `${Math.floor(nowMs)}000000`,
    }
    return this.#parts.map((part, i) => (i === 0 ? part : (values[part[0] ?? ''] ?? '') + part.slice(1))).join('')
  }
}
