import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'
import type { Weir } from '@weir/agent'
import { watched, weirGrpc } from '@weir/agent/grpc'
import { type Running, report } from './report.ts'
import { HEALTH, REPORTS } from './reports-service.ts'

type Call = ServerUnaryCall<string, unknown>
type Respond = sendUnaryData<unknown>

export const start = async (weir: Weir, port: number): Promise<Running> => {
  const server = new Server({ interceptors: [weirGrpc(weir, { gate: 'reports' })] })
  server.addService(HEALTH, {
    check: (_call: Call, respond: Respond) => respond(null, 'well'),
  })
  server.addService(REPORTS, {
    get: watched(async ({ request }: Call, respond: Respond) => {
      respond(null, await report(request))
    }),
  })
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  return { port: bound, close: async () => server.forceShutdown() }
}
