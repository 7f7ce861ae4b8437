import { type Gate, RefusedError } from '@weir/agent'

/** Waits in the gate's queue; ends the permit by what the handler does. */
export const resize = async (gate: Gate, image: Uint8Array, caller: AbortSignal): Promise<Uint8Array | 'busy'> => {
  try {
    return await gate.run({ tenant: 'acme', criticality: 'sheddable', deadlineMs: 500, signal: caller }, (context) =>
      context.degraded ? image : work(image, context.signal),
    )
  } catch (error) {
    if (error instanceof RefusedError) return 'busy'
    throw error
  }
}

/** Decides at once, and tells the gate itself how it ended. */
export const count = (gate: Gate, words: string): number | null => {
  const entry = gate.tryAcquire({ tenant: 'acme' })
  if (!entry.accepted) return null
  try {
    const length = words.split(' ').length
    entry.success()
    return length
  } catch (error) {
    entry.failure()
    throw error
  }
}

const work = async (image: Uint8Array, signal: AbortSignal): Promise<Uint8Array> => {
  signal.throwIfAborted()
  return image.slice(0, image.length / 2)
}
