import type { IncomingMessage } from 'node:http'
import { LIVE } from '@weir/api'
import type { Callers } from '../features/access/caller.ts'
import type { Identity } from '../features/access/identity.ts'
import type { LiveHub } from '../features/live/live-hub.ts'
import type { Admission, SocketEndpoint } from './endpoint.ts'

/** Where dashboards listen: a session (with our own Origin) or a token decides before there is a socket. */
export class LiveEndpoint implements SocketEndpoint {
  readonly path = LIVE.path
  readonly subprotocol = LIVE.subprotocol
  readonly maxMessageBytes = LIVE.maxMessageBytes

  constructor(
    private readonly hub: LiveHub,
    private readonly identity: Identity,
    private readonly callers: Callers,
  ) {}

  async admit(request: IncomingMessage): Promise<Admission> {
    const found = await this.identity.identifySocket(this.callers.asking(request))
    if (!found.ok) {
      const { code, detail } = found.refusal
      return { ok: false, status: code === 'forbidden' ? 403 : 401, detail }
    }
    const principal = found.value
    const visitor = {
      identity: `${principal.kind} ${principal.id}`,
      stillAllowed: async () => (await this.identity.recheck(principal)) !== null,
    }
    return {
      ok: true,
      accept: (socket) => {
        const connection = this.hub.connect(socket, visitor)
        return { ...connection, broken: () => connection.closed() }
      },
    }
  }
}
