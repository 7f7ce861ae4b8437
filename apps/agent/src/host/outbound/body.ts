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
  if (original.body === null) return { response: original, over: null }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Whoever reads the body hears of its end as well.
  promise.catch(() => undefined)
  const reader = original.body.getReader()
  const body = new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) {
          controller.enqueue(value)
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
  const response = new Response(body, original)
  for (const name of ['url', 'redirected', 'type'] as const)
    Object.defineProperty(response, name, { value: original[name], configurable: true })
  return { response, over: promise }
}
