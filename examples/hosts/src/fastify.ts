import type { AddressInfo } from 'node:net'
import type { Weir } from '@weir/agent'
import { weirFastify } from '@weir/agent/fastify'
import Fastify from 'fastify'
import { type Running, report } from './report.ts'

export const start = async (weir: Weir, port: number): Promise<Running> => {
  const app = Fastify()
  await app.register(weirFastify(weir, { gate: 'reports', exempt: ['/healthz'] }))

  app.get('/healthz', async () => 'well')
  app.get<{ Params: { month: string } }>('/reports/:month', ({ params }) => report(params.month))

  await app.listen({ port, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}
