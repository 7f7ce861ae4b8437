/** A text frame; one that goes to many sockets is encoded to bytes once. */
export type Frame = string | Buffer

/** The little that a hub needs of a WebSocket; the transport wraps a real one, tests hand in their own. */
export interface TextSocket {
  /** Queues one text frame; never throws, a no-op on a closed socket. */
  send(frame: Frame): void
  /** What is sent within leaves in one write. */
  together(sends: () => void): void
  /** Starts the closing handshake. */
  close(code: number, reason: string): void
  /** Drops the connection at once. */
  terminate(): void
  /** Bytes accepted by `send` that the kernel has not taken yet. */
  readonly bufferedBytes: number
}
