import type { Duplex } from 'node:stream'
import WebSocket, { type RawData } from 'ws'
import { MessageRate } from '../features/live/message-rate.ts'
import type { Frame, TextSocket } from '../features/live/socket-port.ts'
import type { Connection } from './endpoint.ts'

/** Control frames are no messages, but answering each of a flood is work: more than this a second and the socket is dropped. */
const CONTROL_FRAMES_PER_SECOND = 5
const CONTROL_WINDOW_MS = 10_000

/** A `ws` socket as the hubs know it, over its stream. */
export const textSocket = (socket: WebSocket, stream: Duplex): TextSocket => ({
  send: (frame: Frame) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(frame, { binary: false })
  },
  together: (sends) => {
    stream.cork()
    try {
      sends()
    } finally {
      stream.uncork()
    }
  },
  close: (code, reason) => socket.close(code, reason),
  terminate: () => socket.terminate(),
  get bufferedBytes() {
    return socket.bufferedAmount
  },
})

const textOf = (data: RawData): string => {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString()
}

/** Wires a socket's events to its connection. A fault while handling one socket's message ends that socket only. */
export const wire = (socket: WebSocket, connection: Connection, onFault: (error: unknown) => void): void => {
  const control = new MessageRate(CONTROL_FRAMES_PER_SECOND, CONTROL_WINDOW_MS)
  const onControl = () => {
    if (!control.take(performance.now())) socket.terminate()
  }
  socket.on('message', (data, isBinary) => {
    try {
      connection.message(isBinary ? null : textOf(data))
    } catch (error) {
      onFault(error)
      socket.terminate()
    }
  })
  socket.on('ping', onControl)
  socket.on('pong', onControl)
  socket.on('error', (error) => {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') connection.broken('too-big')
    else if (code?.startsWith('WS_ERR_') === true) connection.broken('malformed')
  })
  socket.on('close', () => connection.closed())
}
