import type { IncomingMessage } from 'node:http'
import { AGENT_PATHS, SUBPROTOCOL, WIRE } from '@weir/wire'
import type { Callers } from '../features/access/caller.ts'
import type { AgentAccess } from '../features/agents/agent-access.ts'
import type { AgentHub } from '../features/agents/agent-hub.ts'
import type { Admission, SocketEndpoint } from './endpoint.ts'

/** Where agents connect: their key decides before there is a socket. */
export class AgentEndpoint implements SocketEndpoint {
  readonly path = AGENT_PATHS.socket
  readonly subprotocol = SUBPROTOCOL
  readonly maxMessageBytes = WIRE.maxAgentMessageBytes

  constructor(
    private readonly hub: AgentHub,
    private readonly access: AgentAccess,
    private readonly callers: Callers,
  ) {}

  async admit(request: IncomingMessage): Promise<Admission> {
    if (this.hub.isFull) return { ok: false, status: 503, detail: 'No more agents fit here.' }
    const found = await this.access.check(this.callers.asking(request))
    if (!found.ok) {
      const { code, detail } = found.refusal
      return { ok: false, status: code === 'forbidden' ? 403 : 401, detail }
    }
    const key = found.value
    const room = await this.hub.room(key)
    if (room === null) return { ok: false, status: 403, detail: 'The service of this key is gone.' }
    return { ok: true, accept: (socket) => this.hub.connect(socket, key, room) }
  }
}
