import type { Handling } from './handling.ts'

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as Partial<PromiseLike<unknown>> | null)?.then === 'function'

/**
 * Calls a handler and tells when its own work is over: its answer, or its promise. One that returned nothing, or what `defers` knows, answers by other
 * means, and its answer is its end. What it returns and throws is passed on.
 */
export const watch = (handling: Handling, defers: (value: unknown) => boolean, call: () => unknown): unknown => {
  handling.handlerStarted()
  const ended = (value: unknown) => {
    if (value === undefined || defers(value)) handling.handlerDeferred()
    else handling.handlerEnded()
  }
  /** After the caller left nobody waits for an answer by other means. */
  const settled = (value: unknown) => (handling.lost ? handling.handlerEnded() : ended(value))
  const failed = () => handling.handlerEnded()
  try {
    const result = call()
    if (isThenable(result)) result.then(settled, failed)
    else ended(result)
    return result
  } catch (error) {
    failed()
    throw error
  }
}
