import { Weir } from '@weir/agent'
import { weirFastify } from '@weir/agent/fastify'
import { weirFetch } from '@weir/agent/undici'
import type { Criticality } from '@weir/policy/model'
import fastify from 'fastify'
import { listen, weirOptions } from './process.ts'

/** The order service: the fleet's edge. Its gate is `checkout`; it pays through the dependency `payments`. */
const weir = await Weir.start(weirOptions('orders'))
const pay = weirFetch(weir, 'payments')
const payments = process.argv[2] ?? ''

const app = fastify()
await app.register(
  weirFastify(weir, {
    gate: 'checkout',
    exempt: ['/healthz'],
    // A real shop would take both from the caller's authenticated identity.
    tenant: (request) => String(request.headers['x-tenant'] ?? ''),
    criticality: (request) => request.headers['x-class'] as Criticality | undefined,
    trust: () => true,
  }),
)
app.get('/healthz', () => ({ ok: true }))
app.post('/orders', async (_request, reply) => {
  const answer = await pay(`${payments}/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-fleet-secret': process.env.FLEET_SECRET ?? '' },
    body: '{"amount":12}',
  })
  await answer.text()
  return reply
    .code(answer.ok ? 201 : answer.status === 429 || answer.status === 503 ? 503 : 502)
    .send({ paid: answer.ok })
})
await listen(app, weir)
