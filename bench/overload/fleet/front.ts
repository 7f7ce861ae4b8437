/** The service that users call: `POST /orders` needs payments, `GET /browse` needs the catalog. Two pools, so one of them may be ill alone. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { WeirRefusal } from '@weir/agent'
import { weirInterceptor } from '@weir/agent/undici'
import { Agent, type Dispatcher, request } from 'undici'
import type { ServiceSettings } from './messages.ts'
import { agentOf, serve, settingsOf } from './service.ts'

export interface FrontSettings extends ServiceSettings {
  readonly payments: readonly string[]
  readonly catalog: string
}

/** As a careful team sets it without Weir, too. */
const TIMEOUT_MS = 1_000

const settings = settingsOf<FrontSettings>()
const { payments, catalog } = settings
const weir = await agentOf(settings)

const clientOf = (name: string, origins: readonly string[]): Dispatcher => {
  const agent = new Agent({ pipelining: 1, keepAliveTimeout: 60_000 })
  const endpoints = origins.length > 1 ? () => origins : undefined
  return weir ? agent.compose(weirInterceptor(weir, name, { endpoints })) : agent
}
const clients = { payments: clientOf('payments', payments), catalog: clientOf('catalog', [catalog]) }
let turn = 0

type Head = Readonly<Record<string, string>>
interface Answer {
  readonly status: number
  /** Of a refusal: why, as it was said. */
  readonly said: Head
}

const call = async (
  name: keyof typeof clients,
  method: 'GET' | 'POST',
  { headers }: IncomingMessage,
): Promise<Answer> => {
  const origin = name === 'payments' ? (payments[turn++ % payments.length] as string) : catalog
  const answer = await request(`${origin}/work`, {
    dispatcher: clients[name],
    method,
    headers: { 'x-until': headers['x-until'], ...(method === 'POST' ? { 'idempotency-key': String(turn) } : {}) },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  await answer.body.dump()
  const signal = answer.headers['weir-signal']
  const said = signal ? { 'weir-signal': String(signal), 'weir-reason': String(answer.headers['weir-reason']) } : {}
  return { status: answer.statusCode, said }
}

/** A refusal is handed on as what it is, from below or of our own agent; all else that goes wrong is a bad gateway. */
const wrong = (error: unknown): Answer =>
  error instanceof WeirRefusal
    ? { status: 503, said: { 'weir-signal': error.signal, 'weir-reason': error.reason } }
    : { status: 502, said: {} }

const handler = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
  const [name, method] = incoming.method === 'POST' ? (['payments', 'POST'] as const) : (['catalog', 'GET'] as const)
  const { status, said } = await call(name, method, incoming).catch(wrong)
  response.writeHead(status < 300 ? 200 : status === 429 || status === 503 ? 503 : 502, said).end('{}')
}

serve({ weir, gate: ({ method }) => (method === 'POST' ? 'checkout' : 'browse'), handler })
