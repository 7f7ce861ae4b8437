import type { RunContext } from './options.ts'
import { RefusedError } from './refused.ts'
import type { Entry, Permit, Work } from './work.ts'

/** The part of a gate that `runIn` uses. */
interface Admission {
  acquire(work: Work): Entry | Promise<Entry>
  within<T>(work: Work, permit: Permit, fn: () => T): T
}

type Handler<T> = (context: RunContext) => Promise<T> | T

/**
 * Runs the handler as accepted work of the gate, from its permit to its ending. Where there is a slot it begins at once, and where nobody can leave
 * there is nothing to listen to: then the one promise is that of the answer.
 */
export const runIn = <T>(gate: Admission, work: Work, handler: Handler<T>): Promise<T> => {
  try {
    const { signal } = work
    if (signal) return runHearing(gate, work, handler, signal)
    const entry = gate.acquire(work)
    return 'then' in entry ? entry.then((late) => begin(gate, work, late, handler)) : begin(gate, work, entry, handler)
  } catch (error) {
    return Promise.reject(error)
  }
}

const begin = <T>(gate: Admission, work: Work, entry: Entry, handler: Handler<T>): Promise<T> => {
  if (!entry.accepted) return Promise.reject(new RefusedError(entry))
  try {
    return gate.within(work, entry, () => handled(handler(entry), entry))
  } catch (error) {
    entry.failure()
    return Promise.reject(error)
  }
}

/** Within the work: an answer that does its work only once it is waited for, as query builders do, is part of it. */
const handled = <T>(value: Promise<T> | T, permit: Permit): Promise<T> => {
  if (isPlain(value)) return endingPlain(value, permit)
  if (isThenable(value)) return ending(value, permit)
  permit.success()
  return Promise.resolve(value)
}

/** A promise as the language makes it, and nothing that only behaves like one. */
const isPlain = <T>(value: Promise<T> | T): value is Promise<T> =>
  value instanceof Promise && value.constructor === Promise

/** As `ending`, in half the steps. */
const endingPlain = <T>(value: Promise<T>, permit: Permit): Promise<T> =>
  value.then(
    (answer) => {
      permit.success()
      return answer
    },
    (error) => {
      permit.failure()
      throw error
    },
  )

const isThenable = <T>(value: Promise<T> | T): value is Promise<T> =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') && 'then' in value

const ending = async <T>(value: Promise<T>, permit: Permit): Promise<T> => {
  try {
    const answer = await value
    permit.success()
    return answer
  } catch (error) {
    permit.failure()
    throw error
  }
}

/** A caller that can leave is heard throughout. */
const runHearing = async <T>(gate: Admission, work: Work, handler: Handler<T>, signal: AbortSignal): Promise<T> => {
  const entry = await gate.acquire(work)
  if (!entry.accepted) throw entry.reason === 'cancelled' ? signal.reason : new RefusedError(entry)
  const left = () => entry.cancel()
  signal.addEventListener('abort', left, { once: true })
  try {
    if (signal.aborted) {
      entry.cancel()
      throw signal.reason
    }
    const value = await gate.within(work, entry, async () => handler(entry))
    entry.success()
    return value
  } catch (error) {
    entry.failure()
    throw error
  } finally {
    signal.removeEventListener('abort', left)
  }
}
