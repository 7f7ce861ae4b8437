/** The order service: takes an order, and lets the stage that it was started for pay it. `node orders.ts base|retry|breaker|bulkhead|weir`. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { attemptsSent, type Stage } from './stages/attempt.ts'
import { PUBLISHED_STAGES } from './stages/published.ts'

const STATUS = { paid: 200, deferred: 202 } as const

const name = process.argv[2] as keyof typeof PUBLISHED_STAGES | 'weir'

const order = (stage: Stage) => async (request: IncomingMessage, response: ServerResponse) => {
  const { payment } = (await json(request)) as { payment: string }
  const status = await stage.pay(payment).then(
    (answer) => STATUS[answer],
    () => 503,
  )
  response.writeHead(status).end()
}

const guarded = async (): Promise<RequestListener> => {
  const [{ weirStage }, { weirHttp }] = await Promise.all([import('./stages/weir.ts'), import('@weir/agent/http')])
  const stage = await weirStage()
  return weirHttp(stage.weir, { gate: 'checkout' }, order(stage))
}

const server = createServer(name === 'weir' ? await guarded() : order(PUBLISHED_STAGES[name]))
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', () => process.send?.({ attempts: attemptsSent() }))
process.once('disconnect', () => process.exit(0))
