import { setTimeout as pause } from 'node:timers/promises'
import { Weir } from '@weir/agent'
import { weirFastify } from '@weir/agent/fastify'
import fastify from 'fastify'
import { Pool } from './pool.ts'
import { listen, weirOptions } from './process.ts'
import { PAYMENT_MS, POOL_CONNECTIONS } from './shape.ts'

/** The payment service: a pool of connections that is the fleet's scarce resource, behind the gate `charge`. */
const weir = await Weir.start(weirOptions('payments'))
const pool = new Pool(POOL_CONNECTIONS)

const app = fastify()
await app.register(
  weirFastify(weir, {
    gate: 'charge',
    exempt: ['/healthz'],
    trust: (request) => request.headers['x-fleet-secret'] === process.env.FLEET_SECRET,
  }),
)
app.get('/healthz', () => ({ ok: true }))
app.post('/charges', () => pool.use(() => pause(PAYMENT_MS, { paid: true })))
await listen(app, weir)
