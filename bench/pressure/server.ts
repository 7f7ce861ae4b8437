/**
 * An order service as many are: parses a body, burns some CPU, and holds one of ten connections for 25 ms, so that it can do 400 orders a second.
 * `node server.ts bare` queues without a bound in front of its connections; `node server.ts weir` has a gate in front of itself, and is else the same.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Weir } from '@weir/agent'
import { weirFastify } from '@weir/agent/fastify'
import Fastify from 'fastify'
import type { Told } from './message.ts'

const CONNECTIONS = 10
const QUERY_MS = 25
const CPU_MS = 0.5

const tell = (message: Told): void => void process.send?.(message)
const app = Fastify()
if (process.argv[2] === 'weir') {
  const bootstrapFile = new URL('policy.yaml', import.meta.url).pathname
  const weir = await Weir.start({ service: 'orders', bootstrapFile, snapshotDir: false })
  await app.register(weirFastify(weir, { gate: 'checkout' }))
}

const waiting: (() => void)[] = []
let free = CONNECTIONS
let [worked, wasted] = [0, 0]

const query = async (): Promise<void> => {
  if (free > 0) free--
  else await new Promise<void>((resolve) => waiting.push(resolve))
  await sleep(QUERY_MS)
  const next = waiting.shift()
  if (next) next()
  else free++
}

const burn = (): void => {
  const end = performance.now() + CPU_MS
  while (performance.now() < end);
}

app.post('/orders', async (request) => {
  burn()
  await query()
  worked++
  if (request.raw.socket.destroyed) wasted++
  return { order: 'taken' }
})

const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()
setInterval(() => {
  const ms = (ns: number) => Math.max(0, ns / 1e6 - 10)
  const rssMb = process.memoryUsage().rss / 2 ** 20
  tell({ type: 'second', loopMaxMs: ms(delay.max), loopP99Ms: ms(delay.percentile(99)), rssMb, worked, wasted })
  delay.reset()
  ;[worked, wasted] = [0, 0]
}, 1_000)

tell({ type: 'listening', url: await app.listen({ port: 0, host: '127.0.0.1' }) })
process.once('disconnect', () => process.exit(0))
