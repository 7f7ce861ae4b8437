import { randomUUID } from 'node:crypto'
import { type DeferredWork, RefusedError, Weir } from '@weir/agent'
import { deferToBullMq } from '@weir/agent/bullmq'
import { weirFastify } from '@weir/agent/fastify'
import { DelayedError, Queue, Worker } from 'bullmq'
import Fastify from 'fastify'
import { Redis } from 'ioredis'

const app = Fastify({ logger: true })
const warn = (error: unknown, where: string) => app.log.warn({ err: error }, where)
const weir = await Weir.start({ service: 'orders', onError: warn })
const gate = weir.gate('checkout')

const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', { maxRetriesPerRequest: null })
redis.on('error', (error) => warn(error, 'redis'))
const queue = new Queue<DeferredWork>('orders', { connection: redis })
gate.deferTo(deferToBullMq(queue))

await app.register(
  weirFastify(weir, {
    gate: 'checkout',
    defer: async (request, body) => {
      if (request.method !== 'POST') return null
      const id = request.headers['idempotency-key']?.toString() ?? randomUUID()
      return {
        id,
        payload: JSON.parse(Buffer.from(await body()).toString()),
        location: `/orders/${encodeURIComponent(id)}`,
      }
    },
  }),
)

const place = async (order: unknown): Promise<unknown> => {
  const paid = await weir
    .dependency('payments')
    .call(({ signal, headers }) =>
      fetch(`${process.env.PAYMENTS_URL}/pay`, { method: 'POST', body: JSON.stringify(order), signal, headers }),
    )
  return paid.json()
}

app.post('/orders', (request) => place(request.body))

// What was deferred passes the same gate, behind those who wait for an answer. Refused, it comes again later: that is no attempt.
const worker = new Worker<DeferredWork>(
  'orders',
  async (job, token) => {
    const { tenant, payload } = job.data
    try {
      return await gate.run({ tenant, criticality: 'sheddable', deadlineMs: 30_000 }, () => place(payload))
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      await job.moveToDelayed(Date.now() + error.refusal.retryAfterMs, token)
      throw new DelayedError()
    }
  },
  { connection: redis },
)
worker.on('error', (error) => warn(error, 'worker'))

await app.listen({ port: Number(process.env.PORT ?? 3000) })

process.once('SIGTERM', async () => {
  await weir.drain(10_000)
  await app.close()
  await worker.close(true)
  await weir.close()
  redis.disconnect()
})
