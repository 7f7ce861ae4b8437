/** An answer whose end can be waited for. */
export interface Watched {
  readonly response: Response
  /** Settles when the body is over: well, or not. `null`: there is none. */
  readonly over: Promise<void> | null
}

/**
 * The same answer, and the end of its body. A body that its reader cancels has ended well. The copy reads in the reader's pace, by the byte where it
 * asks for that, and is like the original in all that can be seen but `clone()`, whose copies have no `url`.
 */
export const watchBody = (original: Response): Watched => {
  const empty = original.headers.get('content-length') === '0'
  if (original.body === null || empty) return { response: original, over: null }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Whoever reads the body hears of its end as well.
  promise.catch(() => undefined)
  const reader = original.body.getReader()
  // Also without a reader: a body that is cut off is over.
  reader.closed.then(resolve, reject)
  const body = new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      try {
        let piece = await reader.read()
        while (!piece.done && piece.value.byteLength === 0) piece = await reader.read()
        if (!piece.done) {
          controller.enqueue(ownMemory(piece.value))
          return
        }
        resolve()
        controller.close()
        controller.byobRequest?.respond(0)
      } catch (error) {
        reject(error)
        throw error
      }
    },
    async cancel(reason) {
      resolve()
      await reader.cancel(reason)
    },
  })
  const { status, statusText, headers } = original
  const response = new Response(body, { status: status > 599 ? 200 : status, statusText, headers })
  for (const name of ['url', 'redirected', 'type', 'status', 'ok'] as const)
    Object.defineProperty(response, name, { value: original[name], configurable: true })
  return { response, over: promise }
}

/** A stream by the byte takes the memory of what it is given: what is part of something larger is copied. */
const ownMemory = (piece: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  piece.byteLength === piece.buffer.byteLength ? piece : new Uint8Array(piece)
