/** The bare minimum beside the control plane: a `ws` server that sends the same bytes to as many sockets, and does nothing else. */
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { type BareAnswer, type BareAsk, epochMs } from './message.ts'

const say = (answer: BareAnswer) => process.send?.(answer)

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
server.on('listening', () =>
  say({ type: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
)
process.on('message', ({ bytes }: BareAsk) => {
  const frame = Buffer.alloc(bytes, 'x')
  const at = epochMs()
  for (const socket of server.clients) socket.send(frame, { binary: false })
  say({ type: 'sent', at })
})
process.on('disconnect', () => process.exit())
