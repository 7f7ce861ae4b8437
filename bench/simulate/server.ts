/**
 * A service with a gate in front of itself, as its own process: `node server.ts <policy file> <service as JSON>`. Its work waits, as for a database:
 * for a time of its own, or for one of so many connections and then for a query.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Weir } from '@weir/agent'
import { seededRandom } from '@weir/testkit'
import type { Answered, RealService, Told } from './message.ts'

const [policy = '', described = '{}'] = process.argv.slice(2)
const service: RealService = JSON.parse(described)
const random = seededRandom(7)
const tell = (message: Told): void => void process.send?.(message)

const waiting: (() => void)[] = []
let free = service.connections ?? Number.POSITIVE_INFINITY

/** A long tail: half of it within the median. */
const drawMs = (): number =>
  service.medianMs * Math.exp(service.sigma * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))

const work = async (): Promise<void> => {
  if (free > 0) free--
  else await new Promise<void>((resolve) => waiting.push(resolve))
  await sleep(drawMs())
  const next = waiting.shift()
  if (next) next()
  else free++
}

const weir = await Weir.start({ service: 'orders', bootstrapFile: policy, snapshotDir: false })
const gate = weir.gate('checkout')
const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const criticality = (searchParams.get('class') ?? undefined) as 'critical' | undefined
  const entry = await gate.acquire({ criticality, tenant: searchParams.get('tenant') ?? undefined })
  const answer: Answered = { accepted: entry.accepted, ranMs: 0 }
  if (entry.accepted) {
    const began = performance.now()
    await work()
    answer.ranMs = performance.now() - began
    entry.success()
  }
  response.end(JSON.stringify(answer))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
process.once('disconnect', () => process.exit(0))
