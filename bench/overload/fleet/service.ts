import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Weir, type WeirOptions } from '@weir/agent'
import { weirHttp } from '@weir/agent/http'
import { nowMs } from '../clock.ts'
import { AgentBooks } from './books.ts'
import type { Change, Command, Counts, JobEnd, Listening, Sample, ServiceSettings } from './messages.ts'

const SAMPLE_MS = 250
const LOOP_RESOLUTION_MS = 10

/** The settings that this process was started with. */
export const settingsOf = <T extends ServiceSettings>(): T => JSON.parse(process.argv[2] as string) as T

const books = new AgentBooks()

/** The agent, or none. */
export const agentOf = ({ name, weir }: ServiceSettings): Promise<Weir> | null =>
  weir && Weir.start({ service: name, instance: `${name}-${process.pid}`, telemetry: 'host', ...weir } as WeirOptions)

/** When the caller of a request stops waiting, machine time. */
export const untilOf = ({ headers }: IncomingMessage): number => Number(headers['x-until'])

export interface Service {
  readonly weir: Weir | null
  /** The gate of a request, by its path. */
  readonly gate: (request: IncomingMessage) => string
  readonly handler: (request: IncomingMessage, response: ServerResponse) => unknown
  /** What stands in its queue and what it began. */
  readonly resource?: { readonly waiting: number; readonly begun: number; readonly stale: number } | undefined
  readonly change?: (change: Change) => void
  /** Of a consumer: what became of its messages. */
  readonly ends?: () => readonly JobEnd[]
}

const tell = (message: Sample | Listening | Counts): void => {
  if (process.connected) process.send?.(message)
}

const watch = ({ weir, resource }: Service): void => {
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  delay.enable()
  setInterval(() => {
    const { user, system } = process.cpuUsage()
    const status = weir?.status()
    tell({
      type: 'sample',
      atMs: nowMs(),
      rssMb: process.memoryUsage.rss() / 2 ** 20,
      cpuMs: (user + system) / 1_000,
      loopMs: Math.max(0, delay.max / 1e6 - LOOP_RESOLUTION_MS),
      waiting: resource?.waiting ?? 0,
      begun: resource?.begun ?? 0,
      stale: resource?.stale ?? 0,
      gates: status?.gates ?? [],
      dependencies: status?.dependencies ?? [],
    })
    delay.reset()
  }, SAMPLE_MS)
}

/** Listens on a free port, says so and how it does, and ends with the bench. */
export const serve = (service: Service): void => {
  const { weir, gate, handler, change, ends } = service
  const listener: RequestListener = weir
    ? weirHttp(weir, { gate, trust: ({ headers }) => headers['x-caller']?.toString() ?? true }, handler)
    : handler
  const server = createServer({ keepAliveTimeout: 60_000 }, listener)
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () =>
    tell({ type: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
  )
  watch(service)
  process.on('message', (command: Command) => {
    if (command.type === 'change') {
      change?.(command)
      return
    }
    tell({ type: 'books', books: weir ? books.close(weir) : {}, ends: ends?.() ?? [] })
  })
  process.once('disconnect', () => process.exit(0))
}
