import type { Attempt, CallOptions } from '../outbound/parts.ts'
import type { DependencyHost } from './fetch.ts'

/**
 * Any function as calls of dependency `name`: a driver, an SDK, a queue. `fn` gets the attempt first, then what the caller gave; it should hand on
 * `signal` and, towards a service of one's own, `headers`. `options` are those of every call, or are made from what the caller gave.
 */
export const weirWrap =
  <A extends readonly unknown[], T>(
    weir: DependencyHost,
    name: string,
    fn: (attempt: Attempt, ...args: A) => T | PromiseLike<T>,
    options: CallOptions<T> | ((...args: A) => CallOptions<T>) = {},
  ): ((...args: A) => Promise<T>) =>
  (...args) =>
    weir
      .dependency(name)
      .call((attempt) => fn(attempt, ...args), typeof options === 'function' ? options(...args) : options)
