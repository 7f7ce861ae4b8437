import type { IncomingMessage } from 'node:http'
import type { AgentMessage, Hello } from '@weir/wire'
import WebSocket from 'ws'

type Message = { type: string; [member: string]: unknown }

/** A real socket of a test: keeps what came, and waits for what will. */
export class SocketClient {
  readonly messages: Message[] = []
  readonly closed: Promise<{ code: number; reason: string }>
  private readonly waiting = new Set<() => void>()

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => {
      this.messages.push(JSON.parse(String(data)))
      for (const wake of this.waiting) wake()
    })
    socket.on('error', () => {})
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
    )
  }

  /** Resolves with an open socket, or with the status of the answer instead of one. */
  static open(url: string, protocol: string, headers: Record<string, string>): Promise<SocketClient | number> {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), protocol, { headers })
    const client = new SocketClient(socket)
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(client))
      socket.once('unexpected-response', (request, response: IncomingMessage) => {
        response.resume()
        request.destroy()
        resolve(response.statusCode ?? 0)
      })
      socket.once('error', reject)
    })
  }

  say(message: AgentMessage | Message): void {
    this.socket.send(JSON.stringify(message))
  }

  /** The first message, already here or still to come, for which `wanted` holds. */
  async until(wanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(wanted)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.waiting.delete(wake)
          resolve()
        }
        this.waiting.add(wake)
      })
    }
  }

  of(type: string): Message[] {
    return this.messages.filter((message) => message.type === type)
  }

  close(): Promise<unknown> {
    this.socket.close()
    return this.closed
  }
}

export const helloOf = (instance: string, rest: Partial<Hello> = {}): Hello => ({
  type: 'hello',
  instance,
  boot: `${instance}-boot`,
  zone: null,
  host: 'box',
  pid: 7,
  agentVersion: '0.1.0',
  modeOverride: null,
  applied: null,
  source: 'built-in',
  ...rest,
})
