/** A service that only calls the next, and tries three times: by Weir's rules, or as services do without. */
import { weirInterceptor } from '@weir/agent/undici'
import { Agent, request } from 'undici'
import type { ServiceSettings } from './messages.ts'
import { agentOf, serve, settingsOf } from './service.ts'

export interface LayerSettings extends ServiceSettings {
  readonly next: string
}

const TRIES = 3

const settings = settingsOf<LayerSettings>()
const weir = await agentOf(settings)
const agent = new Agent({ pipelining: 1, keepAliveTimeout: 60_000 })
const dispatcher = weir ? agent.compose(weirInterceptor(weir, 'next')) : agent

const call = async (until: unknown): Promise<number> => {
  const { statusCode, body } = await request(`${settings.next}/work`, {
    dispatcher,
    headers: { 'x-until': String(until) },
  })
  await body.dump()
  return statusCode
}

const tried = async (until: unknown, left: number): Promise<number> => {
  const status = await call(until)
  return status < 300 || left === 1 ? status : tried(until, left - 1)
}

serve({
  weir,
  gate: () => 'in',
  handler: async ({ headers }, response) => {
    const until = headers['x-until']
    const status = await (weir ? call(until) : tried(until, TRIES)).catch(() => 502)
    response.writeHead(status < 300 ? 200 : 502).end('{}')
  },
})
