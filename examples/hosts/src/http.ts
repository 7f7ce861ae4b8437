import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Weir } from '@weir/agent'
import { weirHttp } from '@weir/agent/http'
import { type Running, report } from './report.ts'

export const start = async (weir: Weir, port: number): Promise<Running> => {
  const server = createServer(
    weirHttp(weir, { gate: 'reports', exempt: ['/healthz'] }, async (request, response) => {
      if (request.url === '/healthz') return response.end('well')
      const [, month = ''] = /^\/reports\/(.+)$/.exec(request.url ?? '') ?? []
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify(await report(month)))
    }),
  )
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: async () => server.close() }
}
