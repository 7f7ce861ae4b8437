import type { WorkContext } from '../core/context.ts'
import type { Attempt, CallOptions, Parts } from './parts.ts'
import { attemptHeaders } from './propagation.ts'

/** A call under mode `off`: neither counted nor refused nor cut off. The context still travels, and the host's own fallback still answers. */
export const passThrough = async <T>(
  fn: (attempt: Attempt) => T | PromiseLike<T>,
  options: CallOptions<T>,
  context: WorkContext | undefined,
  parts: Pick<Parts, 'policy' | 'runtime'>,
): Promise<T> => {
  const { clock } = parts.runtime
  const askedMs = typeof options.deadlineMs === 'number' ? options.deadlineMs : Infinity
  const promisedAt = Math.min(clock.now() + askedMs, context?.deadlineAt ?? Infinity)
  const attempt: Attempt = {
    attempt: 1,
    endpoint: options.endpoints?.[0] ?? null,
    get signal() {
      return options.signal ?? context?.signal ?? new AbortController().signal
    },
    get headers() {
      return attemptHeaders(parts, 1, this.remainingMs, context, options.idempotencyKey)
    },
    get remainingMs() {
      return Math.max(0, promisedAt - clock.now())
    },
  }
  try {
    return await fn(attempt)
  } catch (error) {
    if (options.fallback === undefined || options.signal?.aborted) throw error
    return await options.fallback(error, { signal: new AbortController().signal })
  }
}
