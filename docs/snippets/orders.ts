import { Weir } from '@weir/agent'
import { weirFastify } from '@weir/agent/fastify'
import Fastify from 'fastify'

// WEIR_CONTROL_PLANE and WEIR_KEY come from the environment.
const app = Fastify({ logger: true })
const weir = await Weir.start({
  service: 'orders',
  bootstrapFile: new URL('bootstrap.yaml', import.meta.url).pathname,
  onError: (error, where) => app.log.warn({ err: error }, `weir: ${where}`),
})

await app.register(
  weirFastify(weir, {
    gate: 'checkout',
    exempt: ['/healthz'],
    tenant: (request) => request.headers['x-api-customer']?.toString(),
  }),
)

app.get('/healthz', async () => 'well')

app.post('/orders', async (request, reply) => {
  const payments = weir.dependency('payments')
  const paid = await payments.call(
    ({ signal, headers }) => fetch(`${process.env.PAYMENTS_URL}/pay`, { method: 'POST', signal, headers }),
    { fallback: () => null },
  )
  if (paid === null) return reply.code(202).send({ order: request.id, payment: 'later' })
  return { order: request.id, payment: await paid.json() }
})

await app.listen({ port: Number(process.env.PORT ?? 3000) })

process.once('SIGTERM', async () => {
  await weir.drain(10_000)
  await app.close()
  await weir.close()
})
