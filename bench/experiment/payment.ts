/**
 * The payment service: keeps a buffer of every request for ever. One and the same program in all stages; a payment that bears an idempotency key is executed
 * once, whatever its ledger was told before. `node payment.ts LEDGER MB`, of each buffer.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Ledger } from './ledger.ts'
import { PARAMETERS } from './parameters.ts'

const [file = '', bufferMb] = process.argv.slice(2)
const ledger = new Ledger(file)
const executed = new Set(ledger.read().keys())
const leaked: Buffer[] = []
const BUFFER_BYTES = Number(bufferMb) * 2 ** 20

const work = (): Promise<void> => {
  const [from, to] = PARAMETERS.workMs
  return sleep((from + Math.random() * (to - from)) / 2)
}

const pay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { payment } = (await json(request)) as { payment: string }
  leaked.push(Buffer.alloc(BUFFER_BYTES, 1))
  await work()
  if (request.headers['idempotency-key'] === undefined || !executed.has(payment)) {
    executed.add(payment)
    ledger.write(payment)
  }
  await work()
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ payment, paid: true }))
}

const server = createServer((request, response) => void pay(request, response))
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit(0))
