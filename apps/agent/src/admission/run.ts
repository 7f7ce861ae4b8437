import type { RunContext } from './options.ts'
import { RefusedError } from './refused.ts'
import type { Entry, Permit, Work } from './work.ts'

/** The part of a gate that `runIn` uses. */
interface Admission {
  acquire(work: Work): Entry | Promise<Entry>
  within<T>(work: Work, permit: Permit, fn: () => T): T
}

/** Runs the handler as accepted work of the gate, from its permit to its ending. */
export const runIn = async <T>(
  gate: Admission,
  work: Work,
  handler: (context: RunContext) => Promise<T> | T,
): Promise<T> => {
  const signal = work.signal
  const entry = await gate.acquire(work)
  if (!entry.accepted) throw entry.reason === 'cancelled' && signal ? signal.reason : new RefusedError(entry)
  const left = () => entry.cancel()
  signal?.addEventListener('abort', left, { once: true })
  try {
    if (signal?.aborted) {
      entry.cancel()
      throw signal.reason
    }
    const value = await gate.within(work, entry, () => handler(entry))
    entry.success()
    return value
  } catch (error) {
    entry.failure()
    throw error
  } finally {
    signal?.removeEventListener('abort', left)
  }
}
