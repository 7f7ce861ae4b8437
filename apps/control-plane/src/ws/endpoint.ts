import type { IncomingMessage } from 'node:http'
import type { TextSocket } from '../features/live/socket-port.ts'

/** What the router calls for one open socket. */
export interface Connection {
  /** One whole message; `null`: a binary one. */
  message(text: string | null): void
  /** A frame that cannot be read: too long, or against the protocol. The router closes by itself. */
  broken(how: 'too-big' | 'malformed'): void
  closed(): void
}

/** Whether a request for a socket is let in, decided before there is one. */
export type Admission =
  | { readonly ok: true; accept(socket: TextSocket): Connection }
  | {
      readonly ok: false
      readonly status: 400 | 401 | 403 | 404 | 426 | 429 | 503
      readonly detail: string
    }

export interface SocketEndpoint {
  readonly path: string
  readonly subprotocol: string
  readonly maxMessageBytes: number
  admit(request: IncomingMessage): Promise<Admission>
}
