import type { Frame, TextSocket } from './socket-port.ts'

/** A socket for tests: keeps what it was given. */
export class RecordingSocket implements TextSocket {
  readonly sent: string[] = []
  closedWith: { code: number; reason: string } | null = null
  terminated = false
  bufferedBytes = 0

  send(frame: Frame): void {
    if (this.closedWith === null && !this.terminated) this.sent.push(frame.toString())
  }

  together(sends: () => void): void {
    sends()
  }

  close(code: number, reason: string): void {
    this.closedWith ??= { code, reason }
  }

  terminate(): void {
    this.terminated = true
  }

  messages(): { type: string; [member: string]: unknown }[] {
    return this.sent.map((text) => JSON.parse(text))
  }

  types(): string[] {
    return this.messages().map((message) => message.type)
  }

  last(): unknown {
    return this.messages().at(-1)
  }
}
