import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Weir } from '@weir/agent'
import { watched, weirExpress } from '@weir/agent/express'
import express from 'express'
import { type Running, report } from './report.ts'

export const start = async (weir: Weir, port: number): Promise<Running> => {
  const app = express()
  app.use(weirExpress(weir, { gate: 'reports', exempt: ['/healthz'] }))
  app.use(express.json())

  app.get('/healthz', (_request, response) => {
    response.send('well')
  })
  app.get(
    '/reports/:month',
    watched(async (request, response) => {
      response.json(await report(String(request.params.month)))
    }),
  )

  const server = app.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: async () => server.close() }
}
