import { AGENT_PATHS, type ControlMessage, type Hello, SUBPROTOCOL } from '../../../libs/wire/src/index.ts'

/** An agent of an older version on a real socket: it knows no Vegas and says so for each revision, until `close`. */
export const olderAgent = (url: string, key: string, instance: string): { close(): void } => {
  const options = { protocols: [SUBPROTOCOL], headers: { authorization: `Bearer ${key}` } }
  // Node's own WebSocket takes headers, which the standard's type does not know.
  const socket = new WebSocket(`${url}${AGENT_PATHS.socket}`, options as unknown as string[])
  const say = (message: object) => socket.send(JSON.stringify(message))
  socket.addEventListener('open', () =>
    say({
      type: 'hello',
      instance,
      boot: 'first',
      zone: null,
      host: 'older',
      pid: 1,
      agentVersion: '0.0.1',
      modeOverride: null,
      applied: null,
      source: 'built-in',
    } satisfies Hello),
  )
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as ControlMessage
    if (message.type === 'ping') say({ type: 'pong', n: message.n })
    if (message.type !== 'snapshot') return
    const { databaseId, revision, hash } = message
    const path = 'gates.checkout.concurrency.algorithm'
    const refused = [{ path, message: 'This agent has no vegas limit: a fixed limit of 14 stands in.' }]
    say({ type: 'receipt', databaseId, revision, hash, status: 'partly', refused })
  })
  return { close: () => socket.close() }
}
